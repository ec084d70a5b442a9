// Connects the parts of the Models page.

import { Encoder, Generator, QkvError, inspect } from '../../lib/models/index.js';
import { AddressBar, hashOf, readViewState, readText, writeViewState } from '../shared/address-bar.js';
import { EncoderWorkbench } from '../workbench/encoder.js';
import { GeneratorWorkbench } from '../workbench/generator.js';
import { readSampling, writeSampling } from '../workbench/sampling-controls.js';
import { Loader } from '../workbench/loader.js';
import { TranslatorWorkbench } from '../workbench/translator.js';
import { Explorer } from '../shared/explorer.js';
import { LatestRun } from '../shared/latest.js';
import { Marks } from '../shared/marks.js';
import { attentionFiles, bindSave } from '../shared/save.js';
import { statusLine } from '../shared/status.js';
import { bindTheme } from '../shared/theme.js';
import { kOneText } from '../shared/words.js';
import { Facts, sizeOf } from './facts.js';
import { droppedFiles, chosenFiles, urlModel } from './chosen-model.js';

/** @typedef {import('./chosen-model.js').Given} Given */

const kLarge = 300e6; // bytes of memory above which the page asks the reader first
const kTexts = { encoder: 'The cat sat on the mat.', translator: 'How are you?', generator: 'Once upon a time' };
/** The first text of a translator whose source language is not English, by that language. @type {Record<string, string>} */
const kQuestions = { fr: 'Quel âge avez-vous ?', de: 'Wie alt sind Sie?', es: '¿Cuántos años tienes?' };

/** @param {Document} root */
export const startPage = (root) => new Page(root).start();

class Page {
  #find;
  #status;
  #explorer;
  #workbenches;
  #facts;
  #address = new AddressBar();
  /** The current workbench. @type {EncoderWorkbench | GeneratorWorkbench | TranslatorWorkbench | null} */
  #workbench = null;
  /** @type {Given | null} */
  #given = null;
  /** The text of the address, until a workbench has it. @type {string | null} */
  #wanted = null;
  #inspecting;
  #loader;

  /** @param {Document} root */
  constructor(root) {
    this.#find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    const find = this.#find;
    this.#status = statusLine(root);
    this.#explorer = new Explorer(root, { words: kOneText });
    this.#facts = new Facts(find('#facts'));
    const marks = new Marks(this.#explorer);
    this.#workbenches = {
      encoder: new EncoderWorkbench(find('#encoder'), this.#explorer, marks, this.#status),
      generator: new GeneratorWorkbench(find('#generator'), this.#explorer, marks, this.#status),
      translator: new TranslatorWorkbench(find('#translator'), this.#explorer, marks, this.#status),
    };
    this.#inspecting = new LatestRun(
      (signal) => this.#show(signal),
      (error) => this.#refused(error, `${this.#given?.name} cannot be read: `),
    );
    this.#loader = new Loader(
      this.#status,
      (model) => this.#use(model),
      (error) => this.#refused(error, `${this.#given?.name} cannot be read: `),
    );
  }

  start() {
    const find = this.#find;
    // The ways to give a model: a folder, files, a URL, one of the site's own, a drop.
    for (const [button, input] of [
      ['#folder-button', '#folder'],
      ['#files-button', '#files'],
    ]) {
      find(button).addEventListener('click', () => find(input).click());
      find(input).addEventListener('change', () => {
        this.#takeFrom(() => chosenFiles(find(input).files));
        find(input).value = ''; // so that the same files can be chosen again
      });
    }
    find('#open-url').addEventListener('click', () => this.#takeUrl(find('#url').value, true));
    find('#url').addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Enter') this.#takeUrl(find('#url').value, true);
    });
    for (const button of find('#ours').children)
      button.addEventListener('click', () => this.#takeUrl(button.value, true));
    find('#load-it').addEventListener('click', () => this.#load());
    this.#listenForDrops();
    // What the address follows.
    for (const workbench of Object.values(this.#workbenches)) {
      workbench.addEventListener('change', () => workbench === this.#workbench && this.#note());
      for (const did of ['choose', 'write']) workbench.addEventListener(did, () => this.#note(true));
    }
    this.#explorer.addEventListener('viewchange', () => this.#note());
    addEventListener('popstate', () => this.#restore());
    bindTheme(find('#theme'));
    bindSave(
      find('#save'),
      attentionFiles(() => this.#explorer.inView),
    );
    this.#restore();
  }

  #listenForDrops() {
    const zone = this.#find('#bring');
    const hasFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files');
    document.addEventListener('dragover', (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      zone.classList.add('over');
    });
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && zone.classList.remove('over'));
    document.addEventListener('drop', (event) => {
      zone.classList.remove('over');
      if (!hasFile(event)) return;
      event.preventDefault();
      const data = /** @type {DataTransfer} */ (event.dataTransfer);
      this.#takeFrom(() => droppedFiles(data));
    });
  }

  /** @param {() => Given | null | Promise<Given | null>} give throws an error that says what is wrong */
  async #takeFrom(give) {
    try {
      this.#take(await give());
    } catch (error) {
      this.#refused(error);
    }
  }

  /** @param {string} url @param {boolean} step one that Back undoes */
  #takeUrl(url, step) {
    try {
      const given = urlModel(url);
      this.#wanted = step ? null : this.#wanted;
      this.#take(given);
      if (step) this.#note(true);
    } catch (error) {
      this.#refused(error);
    }
  }

  /** @param {Given | null} given */
  #take(given) {
    if (!given) return;
    this.#loader.cancel();
    this.#given = given;
    this.#status.named(given.name);
    this.#close();
    for (const button of this.#find('#ours').children) {
      button.setAttribute('aria-pressed', String(button.value === given.url));
    }
    this.#inspecting.request();
  }

  /** Hides the previous model. */
  #close() {
    this.#workbench?.end();
    this.#workbench = null;
    this.#explorer.show(null, false);
    for (const id of ['#encoder', '#generator', '#translator', '#heads-card', '#load-it']) this.#find(id).hidden = true;
  }

  /** @param {AbortSignal} signal */
  async #show(signal) {
    const { source, name } = /** @type {Given} */ (this.#given);
    this.#status.note(`Reading ${name}…`);
    this.#facts.hide();
    const info = await inspect(source, { signal }).catch((error) => {
      // Some models that can be loaded cannot be inspected. Others fail when they are loaded.
      if (error instanceof QkvError && error.code === 'UNSUPPORTED') return null;
      throw error;
    });
    signal.throwIfAborted();
    if (!info) return this.#load();
    this.#facts.show(name, info);
    if (info.bytes <= kLarge) return this.#load();
    this.#find('#load-it').hidden = false;
    this.#status.note(`It would take ${sizeOf(info.bytes)} of memory. Load it if this device has that much.`);
  }

  #load() {
    this.#find('#load-it').hidden = true;
    if (this.#given) this.#loader.load(this.#given.source);
  }

  /** @param {any} model */
  #use(model) {
    const kind = model instanceof Encoder ? 'encoder' : model instanceof Generator ? 'generator' : 'translator';
    const workbench = this.#workbenches[kind];
    this.#facts.loaded(/** @type {Given} */ (this.#given).name, model.info);
    this.#find(`#${kind}`).hidden = false;
    this.#find('#heads-card').hidden = false;
    this.#find('#kind').hidden = kind !== 'translator';
    this.#workbench = workbench;
    const text = this.#wanted ?? firstText(kind, model);
    this.#wanted = null;
    if (workbench.text !== text) workbench.text = text;
    workbench.use(model);
  }

  /** Shows why a model cannot be read. @param {unknown} error @param {string} [what] the beginning of the sentence */
  #refused(error, what = '') {
    const message = error instanceof Error ? error.message : String(error);
    this.#status.refused(`${what}${message.replace(/\.$/, '')}.`);
  }

  /** @param {boolean} [step] one that Back undoes */
  #note(step = false) {
    const params = new URLSearchParams();
    if (this.#given?.url) {
      params.set('model', this.#given.url);
      if (this.#workbench) params.set('text', this.#workbench.text);
      if (this.#workbench === this.#workbenches.generator) writeSampling(params, this.#workbenches.generator.sampling);
      if (this.#workbench) writeViewState(params, this.#explorer.viewState, 'cross');
    }
    this.#address.note(hashOf(params), step);
  }

  #restore() {
    this.#address.forget();
    const params = new URLSearchParams(location.hash.slice(1));
    const url = params.get('model');
    this.#wanted = readText(params);
    this.#workbenches.generator.sampling = readSampling(params);
    this.#explorer.viewState = readViewState(params, 'cross');
    if (url === null) return;
    this.#find('#url').value = url;
    if (url !== this.#given?.url || !this.#workbench) this.#takeUrl(url, false);
    else if (this.#wanted !== null) this.#workbench.text = this.#wanted;
  }
}

/** @param {'encoder' | 'generator' | 'translator'} kind @param {any} model */
function firstText(kind, { info }) {
  if (kind === 'translator') return kQuestions[info.name.split('-')[0]] ?? kTexts.translator;
  if (kind === 'generator') return kTexts.generator;
  return info.head === 'masked' ? kTexts.encoder.replace('mat', info.mask) : kTexts.encoder;
}

// Two models that translate the sentence in view, side by side. They are loaded when the reader asks for it.

import { Translator } from '../../lib/index.js';
import { make } from '../shared/dom.js';
import { LatestRun } from '../shared/latest.js';
import { ownModels } from '../shared/own-models.js';
import { folderOf, kOwn } from './offered-models.js';
import { Pane, align, shareSelection } from './comparison-pane.js';

/** @typedef {import('../../lib/index.js').Trace} Trace */

const kFirst = /** @type {[string, string]} */ (['plain', 'bahdanau']);
const kEnglishOnly = 'These models read English. Swap the languages to compare them.';
const kShown = /** @type {const} */ ({ kind: 'alignment', layer: 0, head: 0 });

/** Dispatches `choose` when the reader opened the card, or chose a model. */
export class SideBySide extends EventTarget {
  #card;
  #start;
  #message;
  #panes;
  #pickers;
  #isOpen = false;
  /** The sentence in view; null: it is not in English. @type {string | null | undefined} */
  #sentence;
  /** The models that are loaded, or loading. @type {Map<string, Promise<Translator>>} */
  #loaded = new Map();
  #run = new LatestRun(
    (signal) => this.#translate(signal),
    (error) => this.#failed(error),
  );

  /** @param {ParentNode} root */
  constructor(root) {
    super();
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#card = /** @type {HTMLElement} */ (find('#pair'));
    this.#start = /** @type {HTMLButtonElement} */ (find('#pair-start'));
    this.#message = /** @type {HTMLElement} */ (find('#pair-message'));
    this.#pickers = kFirst.map((id, i) => pickerLike(find('#model'), id, i === 0 ? 'Left model' : 'Right model'));
    this.#panes = this.#pickers.map((picker) => new Pane(picker, /** @type {string} */ (picker.ariaLabel)));
    shareSelection(this.#panes[0], this.#panes[1]);
    find('#panes').append(...this.#panes.map(({ node }) => node));
    for (const picker of this.#pickers) picker.addEventListener('change', () => this.#open());
    this.#start.addEventListener('click', () => this.#open());
    find('#to-pair').addEventListener('click', () => {
      this.#card.scrollIntoView({ block: 'start' });
      this.#open();
      this.#pickers[0].focus({ preventScroll: true });
    });
    this.#show();
  }

  /** The two models; null: the card is closed. @returns {[string, string] | null} */
  get models() {
    const [left, right] = this.#pickers.map(({ value }) => value);
    return this.#isOpen ? [left, right] : null;
  }
  set models(models) {
    this.#isOpen = models !== null;
    (models ?? kFirst).forEach((id, i) => (this.#pickers[i].value = id));
    this.#show();
    this.#run.request();
  }

  /** @param {string | null | undefined} sentence in English; null: in another language; undefined: none */
  show(sentence) {
    if (sentence === this.#sentence) return;
    this.#sentence = sentence;
    this.#run.request();
  }

  #open() {
    this.#isOpen = true;
    this.#show();
    this.#run.request();
    this.dispatchEvent(new Event('choose'));
  }

  #show() {
    this.#card.classList.toggle('open', this.#isOpen);
    this.#start.hidden = this.#isOpen;
  }

  /** @param {AbortSignal} signal */
  async #translate(signal) {
    const [sentence, models] = [this.#sentence, this.models];
    if (!models) return;
    if (sentence === null) {
      this.#message.textContent = kEnglishOnly;
      for (const pane of this.#panes) pane.show(null, kShown);
      return;
    }
    for (const pane of this.#panes) pane.busy(true);
    const translators = await Promise.all(models.map((id) => this.#model(id)));
    signal.throwIfAborted();
    this.#message.textContent = '';
    /** @type {(Trace | null)[]} */
    const traces = [];
    for (const translator of translators)
      traces.push(sentence === undefined ? null : await translator.trace(sentence, { signal }));
    signal.throwIfAborted();
    this.#panes.forEach((pane, i) => pane.show(traces[i], kShown));
    align(this.#panes);
  }

  /** @param {string} id @returns {Promise<Translator>} */
  #model(id) {
    const known = this.#loaded.get(id);
    if (known) return known;
    const loading = Translator.create({
      sourceLanguage: 'en',
      targetLanguage: 'fr',
      wasm: new URLSearchParams(location.search).get('engine') ?? undefined,
      model: id === kOwn ? ownModels['en-fr'] : folderOf(id),
      monitor: (/** @type {EventTarget} */ progress) =>
        progress.addEventListener('downloadprogress', (event) => {
          const part = Math.round(100 * /** @type {any} */ (event).loaded);
          this.#message.textContent = part < 100 ? `Loading, ${part} %` : '';
        }),
    });
    loading.catch(() => this.#loaded.delete(id)); // after a failure the next call tries again
    this.#loaded.set(id, loading);
    return loading;
  }

  /** @param {unknown} error */
  #failed(error) {
    for (const pane of this.#panes) pane.busy(false);
    this.#message.textContent = `The models did not load: ${/** @type {Error} */ (error).message}`;
    this.#start.hidden = false; // to try again
  }
}

/** A picker with the models into French of another picker. @param {HTMLSelectElement} picker @param {string} id @param {string} name */
function pickerLike(picker, id, name) {
  const options = [...picker.querySelectorAll('option')].filter(({ value }) => value === kOwn || value in kTitles);
  const made = /** @type {HTMLSelectElement} */ (
    make(
      'select',
      { ariaLabel: name },
      ...options.map(({ value, text }) => make('option', { value }, kTitles[value] ?? text)),
    )
  );
  made.value = id;
  return made;
}

/** The names of the models in this card. @type {Record<string, string>} */
const kTitles = {
  plain: 'Without attention: recurrent, 2014',
  bahdanau: 'With attention: Bahdanau, 2014',
  'luong-dot': 'Luong, dot, 2015',
  'luong-general': 'Luong, general, 2015',
  'luong-local': 'Luong, local, 2015',
  transformer: 'Transformer, 2017, same training',
};

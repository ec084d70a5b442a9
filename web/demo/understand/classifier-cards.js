// The two cards with classifiers. Each has its own encoder, which is loaded when the cards become visible.

import { bars } from '../shared/bars.js';
import { loadWith } from '../workbench/loader.js';
import { share } from '../workbench/answers.js';
import { tagRow } from '../workbench/tags.js';
import { make } from '../shared/dom.js';
import { LatestRun } from '../shared/latest.js';

/** @typedef {import('../../lib/models/index.js').Encoder} Encoder */

const kFolder = 'models/english/';

/**
 * @typedef {object} Classifier
 * @property {string} model the name of its folder
 * @property {(text: string) => string} prepare makes the text as the model was trained to read it
 * @property {(encoder: Encoder, text: string, signal: AbortSignal) => Promise<any>} ask
 * @property {(result: any, text: string) => void} show null: there is nothing to read
 */

export class ClassifierCards {
  #cards;
  #isVisible = false;
  #isReady = false;

  /** @param {HTMLElement} root of both cards */
  constructor(root) {
    const card = (/** @type {string} */ id) => /** @type {HTMLElement} */ (root.querySelector(`#${id}`));
    this.#cards = [new Card(card('questions'), questions), new Card(card('capitals'), capitals)];
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#isVisible = isIntersecting;
      this.#go();
    }).observe(root);
  }

  /** To be called when the page's main model is loaded: the cards load theirs after it. */
  start() {
    this.#isReady = true;
    this.#go();
  }

  /** @param {string} text */
  read(text) {
    for (const card of this.#cards) card.text = text;
    this.#go();
  }

  #go() {
    if (this.#isVisible && this.#isReady) for (const card of this.#cards) card.read();
  }
}

class Card {
  text = '';
  #root;
  #classifier;
  #note;
  /** @type {Promise<Encoder> | null} */
  #encoder = null;
  /** The text that is shown. @type {string | null} */
  #shown = null;
  #run;

  /** @param {HTMLElement} root @param {(host: HTMLElement, root: HTMLElement) => Classifier} make */
  constructor(root, make) {
    this.#root = root;
    this.#classifier = make(/** @type {HTMLElement} */ (root.querySelector('.answer')), root);
    this.#note = /** @type {HTMLElement} */ (root.querySelector('.note'));
    this.#run = new LatestRun(
      (signal) => this.#read(signal),
      (error) => this.#failed(error),
    );
  }

  read() {
    if (this.text === this.#shown) return;
    this.#root.setAttribute('aria-busy', 'true');
    this.#run.request();
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const whole = this.text;
    const text = this.#classifier.prepare(whole);
    this.#encoder ??= this.#load();
    const encoder = await this.#encoder;
    signal.throwIfAborted();
    const result = text === '' ? null : await this.#classifier.ask(encoder, text, signal);
    signal.throwIfAborted();
    this.#classifier.show(result, text);
    this.#shown = whole;
    this.#note.textContent = '';
    this.#root.setAttribute('aria-busy', 'false');
  }

  /** Loads the model. A newer text does not abort it. */
  #load() {
    const say = (/** @type {number} */ part) =>
      (this.#note.textContent = `Loading its model, ${Math.round(100 * part)} %`);
    return /** @type {Promise<Encoder>} */ (
      loadWith(`${kFolder}${this.#classifier.model}/`, new AbortController().signal, say)
    );
  }

  /** @param {unknown} error */
  #failed(error) {
    this.#encoder = null;
    const again = make('button', { type: 'button' }, 'Try again');
    again.addEventListener('click', () => this.#run.request());
    const message = error instanceof Error ? error.message : String(error);
    this.#note.replaceChildren(`Its model did not load: ${message.replace(/\.$/, '')}. `, again);
    this.#root.setAttribute('aria-busy', 'false');
  }
}

/** @param {HTMLElement} host @param {HTMLElement} root @returns {Classifier} */
function questions(host, root) {
  const list = bars('Question or statement');
  const read = /** @type {HTMLElement} */ (root.querySelector('.read'));
  host.append(list.node);
  return {
    model: 'questions',
    prepare: (text) => text.trim().replace(/[\s.?!…]+$/u, ''),
    ask: (encoder, text, signal) => encoder.classify(text, { signal }),
    show(labels, text) {
      read.textContent = text === '' ? '\u00a0' : `“${text}”`;
      const inOrder = (labels ?? []).toSorted((/** @type {any} */ a, /** @type {any} */ b) =>
        a.label.localeCompare(b.label),
      );
      list.show(
        inOrder.map((/** @type {{label: string, score: number}} */ { label, score }) => ({
          name: label,
          value: score,
          note: share(score),
        })),
      );
    },
  };
}

/** @param {HTMLElement} host @returns {Classifier} */
function capitals(host) {
  const row = tagRow();
  row.node.classList.add('capitals');
  host.append(row.node);
  return {
    model: 'capitals',
    // Masks are left out: they are no words.
    prepare: (text) =>
      (
        text
          .replace(/\[MASK\]/gi, ' ')
          .toLowerCase()
          .match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []
      ).join(' '),
    ask: (encoder, text, signal) => encoder.tag(text, { signal }),
    show(tags, text) {
      row.show(byWord(text, tags ?? []));
    },
  };
}

/**
 * Labels of words: the label of a word is the label of its first piece.
 * @param {string} text words with a space between
 * @param {import('../../lib/models/index.js').Tag[]} tags
 */
function byWord(text, tags) {
  return Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => {
    const tag = tags.find(({ end }) => end > index);
    const isCapital = tag?.label === 'capital';
    return {
      text: isCapital ? word[0].toUpperCase() + word.slice(1) : word,
      label: isCapital ? 'capital' : 'small',
      score: tag?.score ?? 0,
    };
  });
}

// The likeliest next pieces after a text, as bars that can be picked. The sampling options change the probabilities.

import { bars } from '../shared/bars.js';
import { LatestRun } from '../shared/latest.js';
import { samplingProbabilities } from './sampling.js';
import { share } from './answers.js';
import { isOfBytes, shownAs, textOf } from './spelling.js';

/** @typedef {import('../../lib/models/index.js').Generator} Generator */
/** @typedef {import('../../lib/models/index.js').Likeliest} Likeliest */
/** @typedef {import('./sampling.js').Sampling} Sampling */

const kShown = 10;
const kKnown = 100; // distributions that are kept
const kMost = 10_000; // pieces of a distribution
const kEnd = /^(<\|endoftext\|>|<\/s>|<eos>)$/;

/** Dispatches `pick` (detail: the text that the next piece adds to `after`). */
export class NextPieces extends EventTarget {
  /** The text before the next piece. */
  after = '';
  #list;
  #where;
  #rest;
  /** @type {Generator | null} */
  #model = null;
  /** @type {Map<string, Likeliest>} */
  #known = new Map();
  /** @type {Likeliest | null} */
  #shown = null;
  #sampling = /** @type {Sampling} */ ({ temperature: 1, topK: 0, topP: 1 });
  #ofBytes = false;
  #run;

  /** @param {HTMLElement} root @param {(error: unknown) => void} failed */
  constructor(root, failed) {
    super();
    this.#list = bars('The next piece, the likeliest first', (i) => this.#pick(i));
    /** @type {HTMLElement} */ (root.querySelector('.answer')).append(this.#list.node);
    this.#where = /** @type {HTMLElement} */ (root.querySelector('.where'));
    this.#rest = /** @type {HTMLElement} */ (root.querySelector('.rest'));
    this.#run = new LatestRun((signal) => this.#predict(signal), failed);
  }

  /** @param {Generator} model */
  use(model) {
    this.#model = model;
    this.#known.clear();
    this.#shown = null;
    this.#list.show([]);
  }

  /** @param {string} text @param {string} where it ends, for the heading */
  show(text, where) {
    this.after = text;
    this.#where.textContent = where;
    const known = this.#known.get(text);
    if (known) {
      this.#run.cancel();
      this.#draw(known);
    } else this.#run.request();
  }

  /** @param {Sampling} sampling */
  set sampling(sampling) {
    this.#sampling = sampling;
    if (this.#shown) this.#draw(this.#shown);
  }

  /** @param {AbortSignal} signal */
  async #predict(signal) {
    const [model, text] = [this.#model, this.after];
    if (!model) return;
    const found = await model.next(text, { signal, count: Math.min(model.info.vocabularySize, kMost) });
    signal.throwIfAborted();
    this.#known.set(text, found);
    if (this.#known.size > kKnown) this.#known.delete(/** @type {string} */ (this.#known.keys().next().value));
    this.#draw(found);
  }

  /** @param {Likeliest} found */
  #draw(found) {
    this.#shown = found;
    this.#ofBytes = isOfBytes(found.pieces);
    const probabilities = samplingProbabilities(found.logProbs, this.#sampling);
    this.#list.show(
      found.pieces.slice(0, kShown).map((piece, i) => {
        const name = shownAs(piece, this.#ofBytes, kEnd.test(piece));
        const isCut = probabilities[i] === 0;
        return {
          name: this.#goesOn(piece) ? `·${name}` : name,
          action: 'write it',
          value: probabilities[i],
          note: isCut ? 'cut' : share(probabilities[i]),
          cut: isCut,
          fixed: this.#addition(piece) === null,
        };
      }),
    );
    this.#rest.textContent = this.#others(probabilities);
  }

  /** How many further pieces can be drawn, and their probability together. @param {Float64Array} probabilities */
  #others(probabilities) {
    const others = probabilities.subarray(kShown);
    const left = others.reduce((count, probability) => count + Number(probability > 0), 0);
    const all = this.#model?.info.vocabularySize ?? probabilities.length;
    const known = probabilities.length < all ? `, of the ${probabilities.length} likeliest of ${all}` : '';
    if (left === 0) return `all other pieces are cut${known}`;
    const sum = others.reduce((total, probability) => total + probability, 0);
    return `${left.toLocaleString('en')} others: ${share(sum)}${known}`;
  }

  /** @param {number} i */
  #pick(i) {
    const piece = this.#shown?.pieces[i];
    const detail = piece === undefined ? null : this.#addition(piece);
    if (detail !== null) this.dispatchEvent(new CustomEvent('pick', { detail }));
  }

  /** Whether a piece continues the word before it; punctuation always does. @param {string} piece */
  #goesOn(piece) {
    const text = textOf(piece, this.#ofBytes);
    return text !== null && /[\p{L}\p{N}’']$/u.test(this.after) && /^[\p{L}\p{N}]/u.test(text);
  }

  /** The text that a piece adds; null: the piece has no text. @param {string} piece */
  #addition(piece) {
    const text = textOf(piece, this.#ofBytes);
    return text === null || (this.after !== '' && !/\s$/.test(this.after)) ? text : text.replace(/^ /, '');
  }
}

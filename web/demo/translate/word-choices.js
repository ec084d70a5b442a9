// The alternatives to a word of the translation. They are shown beside the word, or at the bottom of the window on a phone.

import { alternativesAt, placeOfPiece } from '../../view/index.js';
import { labelsOf } from '../../view/trace.js';
import { fillAlternatives } from '../shared/alternatives.js';
import { make } from '../shared/dom.js';
import { LatestRun } from '../shared/latest.js';

/** @typedef {import('../../view/trace.js').Trace} Trace */
/** @typedef {import('../shared/alternatives.js').Alternative} Alternative */
/** @typedef {(prefix: number[], signal: AbortSignal) => Promise<string>} Continue */

const kGap = 6; // pixels between the word and the alternatives
const kEdge = 8; // pixels between the alternatives and the edge of the window

/** Dispatches `pick` (detail: the index of a target piece, and the id of the piece that replaces it). */
export class WordChoices extends EventTarget {
  #marks;
  #explorer;
  #continue;
  #target;
  #box;
  #title;
  #pieces;
  #list;
  /** @type {Trace | null} */
  #trace = null;
  #canPick = false;
  /** The piece that the keys selected. */
  #cursor = 0;
  /** The piece whose alternatives are shown. */
  #piece = -1;
  #continuing = new LatestRun(
    (signal) => this.#addContinuations(signal),
    () => {}, // the alternatives are shown without continuations
  );

  /**
   * @param {ParentNode} root
   * @param {import('../shared/marks.js').Marks} marks
   * @param {import('../shared/explorer.js').Explorer} explorer
   * @param {Continue} continueFrom the translation of the sentence in view that begins with these pieces
   */
  constructor(root, marks, explorer, continueFrom) {
    super();
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#marks = marks;
    this.#explorer = explorer;
    this.#continue = continueFrom;
    this.#target = /** @type {HTMLElement} */ (find('#target'));
    this.#box = /** @type {HTMLElement} */ (find('#word-choices'));
    this.#title = /** @type {HTMLElement} */ (find('#word-choices .subject'));
    this.#pieces = /** @type {HTMLElement} */ (find('#word-choices .parts'));
    this.#list = /** @type {HTMLElement} */ (find('#word-choices ol'));
    this.#box.addEventListener('toggle', () => this.#isOpen || this.#continuing.cancel());
    find('#word-choices .close').addEventListener('click', () => this.close());
    this.#target.addEventListener('keydown', (event) => this.#key(event));
    this.#target.addEventListener('focus', () => this.#target.matches(':focus-visible') && this.#point(this.#cursor));
    this.#target.addEventListener('blur', () => this.#isOpen || explorer.selection.point(null));
  }

  /** @param {Trace | null} trace of the sentence in view @param {boolean} canPick whether it can be translated again */
  show(trace, canPick) {
    this.#trace = trace;
    this.#canPick = canPick;
    this.#cursor = 0;
    this.close();
  }

  close() {
    if (this.#isOpen) this.#box.hidePopover();
  }

  get #isOpen() {
    return this.#box.matches(':popover-open');
  }

  /** Opens at the word at a point in window coordinates, if there is one. @param {{x: number, y: number}} point */
  openAt({ x, y }) {
    const piece = this.#marks.pieceAt('target', x, y);
    if (piece >= 0) this.open(this.#beginOf(piece));
  }

  /** @param {number} piece */
  open(piece) {
    const { selection, slice } = this.#explorer;
    const place = slice && placeOfPiece(slice, 'target', piece);
    if (place && selection.pinned?.query !== piece) selection.toggle(place);
    this.#piece = this.#cursor = piece;
    this.#fill();
    if (!this.#isOpen) this.#box.showPopover();
    this.#position();
    /** @type {HTMLElement | null} */ (this.#list.querySelector('[aria-pressed=true]'))?.focus({ preventScroll: true });
  }

  /** The first piece of a word. Punctuation is a word by itself. @param {number} piece */
  #beginOf(piece) {
    const labels = labelsOf(this.#trace?.target ?? null);
    if (!/[\p{L}\p{N}]/u.test(labels[piece]?.text ?? '')) return piece;
    let begin = piece;
    while (begin > 0 && !labels[begin].word) --begin;
    return begin;
  }

  /** The pieces of the word that a piece belongs to. @returns {number[]} */
  #wordOf(/** @type {number} */ piece) {
    const labels = labelsOf(this.#trace?.target ?? null);
    const isNew = (/** @type {number} */ at) => labels[at].word || labels[at].special;
    let [begin, end] = [piece, piece + 1];
    while (begin > 0 && !isNew(begin)) --begin;
    while (end < labels.length && !isNew(end)) ++end;
    return Array.from({ length: end - begin }, (_, i) => begin + i);
  }

  #fill() {
    const [trace, piece] = [this.#trace, this.#piece];
    if (!trace) return;
    // The title, and the pieces of the word.
    const labels = labelsOf(trace.target);
    const word = this.#wordOf(piece);
    this.#title.replaceChildren(
      make('b', {}, labels[piece].text),
      this.#canPick ? ' might have been' : ' might have been, by probability',
    );
    this.#pieces.hidden = word.length < 2;
    this.#pieces.replaceChildren(...word.map((at) => this.#part(at, labels[at].text)));
    // The alternatives, to which the continuations are added.
    const pick = (/** @type {Alternative} */ { id }) => {
      this.close();
      this.dispatchEvent(new CustomEvent('pick', { detail: { query: piece, id } }));
    };
    this.#list.replaceChildren();
    fillAlternatives(this.#list, alternativesAt(trace, piece), this.#canPick ? pick : null);
    this.#continuing.cancel();
    if (this.#canPick) this.#continuing.request();
  }

  /** A button that shows the alternatives to another piece of the word. @param {number} at @param {string} text */
  #part(at, text) {
    const button = make('button', { type: 'button', 'aria-pressed': String(at === this.#piece) }, text);
    button.addEventListener('click', () => this.open(at));
    return button;
  }

  /** Writes after each alternative how the translation would continue. @param {AbortSignal} signal */
  async #addContinuations(signal) {
    const [trace, piece] = [this.#trace, this.#piece];
    const target = trace?.target;
    if (!trace || !target) return;
    const before = Array.from(target.ids ?? []).slice(0, piece);
    const from = target.begin[piece];
    for (const [i, { id, label }] of alternativesAt(trace, piece).entries()) {
      if (id === null) continue;
      const text = await this.#continue([...before, id], signal);
      signal.throwIfAborted();
      const rest = text.startsWith(target.text.slice(0, from)) ? text.slice(from).trimStart() : '';
      const name = this.#list.children[i].querySelector('b');
      if (rest.startsWith(label.text)) name?.append(make('span.rest', {}, rest.slice(label.text.length)));
    }
  }

  /** Puts the alternatives below the word or above it. On a phone the style sheet puts them at the bottom. */
  #position() {
    const boxes = this.#marks.boxesOf('target', this.#piece);
    const { left, top, bottom } = boxes[0] ?? this.#target.getBoundingClientRect();
    const { width, height } = this.#box.getBoundingClientRect();
    const fitsBelow = bottom + kGap + height <= innerHeight || top - kGap - height < 0;
    const x = Math.max(kEdge, Math.min(left, document.documentElement.clientWidth - width - kEdge));
    this.#box.style.left = `${x + scrollX}px`;
    this.#box.style.top = `${(fitsBelow ? bottom + kGap : top - kGap - height) + scrollY}px`;
  }

  /** @param {number} piece */
  #point(piece) {
    const { selection, slice } = this.#explorer;
    this.#cursor = piece;
    selection.point(slice && placeOfPiece(slice, 'target', piece));
  }

  /** The arrow keys move from word to word; Enter opens. @param {KeyboardEvent} event */
  #key(event) {
    const count = this.#trace?.target?.pieces.length ?? 0;
    const begins = Array.from({ length: count }, (_, i) => i).filter(
      (i) => this.#beginOf(i) === i && this.#marks.boxesOf('target', i).length > 0,
    );
    const at = begins.indexOf(this.#cursor);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: begins.length - 1 }[event.key];
    if (next !== undefined && begins[next] !== undefined) this.#point(begins[next]);
    else if (event.key === 'Enter' && at >= 0) this.open(this.#cursor);
    else return;
    event.preventDefault();
  }
}

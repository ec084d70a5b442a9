// <qkv-pieces side="source|target">: the pieces of a sentence. Each shows its weight while a place is highlighted.

import { onThemeChange, weightScale } from './colour.js';
import { BaseElement, define } from './define.js';
import { SelectionListener } from './selection.js';
import { formatWeight, labelsOf, piecesAt, placeOfPiece } from './trace.js';

/** @typedef {import('./selection.js').Selection} Selection */
/** @typedef {import('./trace.js').Label} Label */
/** @typedef {import('./trace.js').Side} Side */
/** @typedef {import('./trace.js').SideName} SideName */
/** @typedef {import('./trace.js').Slice} Slice */

const kShownFrom = 0.05;
const kUnsure = 0.5;

/** A row of buttons with one tab stop: arrow keys move, Enter pins, Escape unpins. */
export class PiecesElement extends BaseElement {
  /** @type {Slice | null} */
  #slice = null;
  /** @type {number | null} */
  #written = null;
  #listener = new SelectionListener(() => this.#drawHighlight());
  /** @type {(() => void)[]} */
  #stops = [];

  connectedCallback() {
    this.setAttribute('role', 'group');
    this.addEventListener('keydown', this.#key);
    this.#stops = [onThemeChange(() => this.#drawHighlight()), this.#listener.start()];
    this.#drawHighlight();
  }

  disconnectedCallback() {
    this.removeEventListener('keydown', this.#key);
    for (const stop of this.#stops) stop();
  }

  /** @returns {SideName} */
  get side() {
    return this.getAttribute('side') === 'target' ? 'target' : 'source';
  }
  set side(side) {
    this.setAttribute('side', side);
  }

  /** The shared selection of all views. @returns {Selection | null} */
  get selection() {
    return this.#listener.selection;
  }
  set selection(selection) {
    this.#listener.selection = selection;
  }

  /** The matrix in which pointing at a piece selects a row or a column. @returns {Slice | null} */
  get slice() {
    return this.#slice;
  }
  set slice(slice) {
    this.#slice = slice;
    this.#drawHighlight();
  }

  /** How many of the pieces are shown; null: all. @returns {number | null} */
  get written() {
    return this.#written;
  }
  set written(written) {
    this.#written = written;
    this.#drawHighlight();
  }

  /** @param {Side | null} sentence null: no pieces yet */
  show(sentence) {
    const labels = sentence ? labelsOf(sentence) : [];
    this.replaceChildren(...labels.map((label, i) => this.#chip(label, i, sentence?.logProbs?.[i])));
    this.#drawHighlight();
  }

  /** @param {Label} label @param {number} index @param {number | undefined} logProb natural logarithm */
  #chip(label, index, logProb) {
    // Only one button of the row is in the tab order. Arrow keys move between the buttons.
    const chip = document.createElement('button');
    chip.type = 'button';
    chip.tabIndex = index ? -1 : 0;
    chip.classList.toggle('word', label.word || index === 0);
    chip.classList.toggle('special', label.special);
    const text = document.createElement('span');
    text.className = 'text';
    text.textContent = label.text;
    const weight = document.createElement('span');
    weight.className = 'weight';
    chip.append(text, weight);
    // The tooltip: the piece that the model read or wrote, and its probability.
    const notes = [];
    if (label.read) notes.push(`the model ${this.side === 'target' ? 'wrote' : 'read'} “${label.read}” here`);
    if (logProb !== undefined) {
      const probability = Math.exp(logProb);
      chip.append(probabilityBar(probability));
      chip.classList.toggle('unsure', probability < kUnsure);
      notes.push(`probability ${formatWeight(probability)}`);
    }
    if (notes.length) chip.title = notes.join('; ');
    // Pointing shows the weights of a piece in all views. A click pins them.
    const point = () => this.selection?.point(this.#placeOf(index));
    const leave = () => this.selection?.point(null);
    chip.addEventListener('pointerenter', point);
    chip.addEventListener('pointerleave', leave);
    chip.addEventListener('focus', () => chip.matches(':focus-visible') && point());
    chip.addEventListener('blur', leave);
    chip.addEventListener('click', () => {
      const place = this.#placeOf(index);
      if (place) this.selection?.toggle(place);
    });
    return chip;
  }

  /** @param {number} index */
  #placeOf(index) {
    return this.#slice && placeOfPiece(this.#slice, this.side, index);
  }

  #drawHighlight() {
    // The weights of the pieces at the highlighted place.
    const place = this.selection?.current ?? null;
    const { pointed, weights } = this.#slice
      ? piecesAt(this.#slice, place, this.side)
      : { pointed: null, weights: null };
    const pinned = this.selection?.pinned ?? null;
    const scale = weights && weightScale();
    this.classList.toggle('lit', !!place);
    // Draw them, then scroll to the main piece.
    const chips = this.#chips();
    chips.forEach((chip, i) => {
      const weight = weights?.[i] ?? null;
      chip.classList.toggle('later', i >= (this.#written ?? Infinity));
      chip.classList.toggle('pointed', i === pointed);
      chip.setAttribute('aria-pressed', String(!!pinned && i === pointed));
      const text = /** @type {HTMLElement} */ (chip.firstElementChild);
      text.style.backgroundColor = scale && weight !== null ? scale.css(weight) : '';
      text.style.color = scale && weight !== null ? scale.ink(weight) : '';
      /** @type {HTMLElement} */ (chip.children[1]).textContent =
        weight !== null && (weight >= kShownFrom || i === pointed) ? formatWeight(weight) : '';
    });
    const main = pointed ?? strongest(weights);
    if (main !== null && !this.matches(':hover, :focus-within')) revealIn(this, chips[main]);
  }

  /** @returns {HTMLButtonElement[]} */
  #chips() {
    return [...this.querySelectorAll('button')];
  }

  #key = (/** @type {KeyboardEvent} */ event) => {
    const chips = this.#chips();
    const at = chips.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    if (event.key === 'Escape') this.selection?.clear();
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: chips.length - 1 }[event.key];
    if (at < 0 || next === undefined || !chips[next]) return;
    event.preventDefault();
    chips[at].tabIndex = -1;
    chips[next].tabIndex = 0;
    chips[next].focus();
  };
}

/** @param {(number | null)[] | null} weights */
function strongest(weights) {
  const peak = Math.max(...(weights ?? []).map((weight) => weight ?? 0));
  return weights && peak > 0 ? weights.indexOf(peak) : null;
}

/** Scrolls only the row so that a chip is visible. @param {HTMLElement} row @param {HTMLElement | undefined} chip */
function revealIn(row, chip) {
  if (!chip || row.scrollHeight <= row.clientHeight) return;
  const [view, box] = [row.getBoundingClientRect(), chip.getBoundingClientRect()];
  if (box.top < view.top) row.scrollTop += box.top - view.top;
  else if (box.bottom > view.bottom) row.scrollTop += box.bottom - view.bottom;
}

/** @param {number} probability */
function probabilityBar(probability) {
  const bar = document.createElement('span');
  bar.className = 'probability';
  bar.style.setProperty('--probability', String(probability));
  return bar;
}

define('qkv-pieces', PiecesElement);

// The player shows how a translation was written, one piece at a step, forwards and backwards. It shows the text so far and
// the likeliest pieces at the step. The other cards show the same step.

import { alternativesAt } from '../../view/index.js';
import { formatWeight, labelsOf } from '../../view/trace.js';
import { make } from '../shared/dom.js';

/** @typedef {import('../../view/trace.js').Trace} Trace */

const kPause = 1000; // ms for a piece, at speed 1

/** Dispatches `step` when another step is in view, and when playing begins or ends. */
export class Player extends EventTarget {
  #card;
  #start;
  #toggle;
  #at;
  #count;
  #speed;
  #text;
  #others;
  #buttons;
  /** @type {Trace | null} */
  #trace = null;
  /** How many pieces are written; null: the player is closed. @type {number | null} */
  #step = null;
  /** Whether the step stays when the next trace comes. */
  #isKept = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {ParentNode} root */
  constructor(root) {
    super();
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#card = /** @type {HTMLElement} */ (find('#player'));
    this.#start = /** @type {HTMLButtonElement} */ (find('#play'));
    this.#toggle = /** @type {HTMLButtonElement} */ (find('#player-toggle'));
    this.#at = /** @type {HTMLInputElement} */ (find('#player-at'));
    this.#count = /** @type {HTMLElement} */ (find('#player-count'));
    this.#speed = /** @type {HTMLSelectElement} */ (find('#player-speed'));
    this.#text = /** @type {HTMLElement} */ (find('#player-text'));
    this.#others = /** @type {HTMLElement} */ (find('#player-others'));
    this.#buttons = { back: find('#player-back'), on: find('#player-on') };
    this.#start.addEventListener('click', () => (this.#step === null ? this.#open() : this.#close()));
    this.#toggle.addEventListener('click', () => (this.#timer === undefined ? this.#play() : this.#pause()));
    this.#buttons.back.addEventListener('click', () => this.#go(-1));
    this.#buttons.on.addEventListener('click', () => this.#go(1));
    this.#at.addEventListener('input', () => this.#stopAt(Number(this.#at.value)));
    find('#player-close').addEventListener('click', () => this.#close());
    this.#card.addEventListener('keydown', (event) => this.#key(event));
  }

  /** How many pieces are written; null: the player is closed. @returns {number | null} */
  get step() {
    return this.#step;
  }
  set step(step) {
    this.#pause();
    this.#isKept = step !== null;
    this.#set(step);
  }

  /** Keeps the step for the next trace. */
  keep() {
    this.#pause();
    this.#isKept = this.#step !== null;
  }

  /** @param {Trace | null} trace of the translation in view */
  show(trace) {
    this.#trace = trace;
    this.#start.disabled = !trace;
    const step = this.#isKept && trace ? this.#step : null;
    this.#isKept = false;
    this.#pause();
    this.#set(step);
  }

  get #length() {
    return this.#trace?.target?.pieces.length ?? 0;
  }

  /** Opens the player and plays. If the reader prefers reduced motion, it shows the first step. */
  #open() {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#set(isStill ? 1 : 0);
    this.#toggle.focus({ preventScroll: true });
    if (!isStill) this.#play();
  }

  #close() {
    this.#pause();
    const hadFocus = this.#card.contains(document.activeElement);
    this.#set(null);
    if (hadFocus) this.#start.focus({ preventScroll: true });
  }

  #play() {
    if ((this.#step ?? 0) >= this.#length) this.#set(0);
    this.#next();
  }

  #next() {
    this.#timer = setTimeout(
      () => {
        this.#set((this.#step ?? 0) + 1);
        if ((this.#step ?? 0) < this.#length) this.#next();
        else this.#pause();
      },
      kPause / Number(this.#speed.value),
    );
    this.#name();
  }

  #pause() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#name();
  }

  /** @param {number} by */
  #go(by) {
    this.#stopAt((this.#step ?? 0) + by);
  }

  /** @param {number} step */
  #stopAt(step) {
    this.#pause();
    this.#set(step);
  }

  /** @param {number | null} step */
  #set(step) {
    const before = this.#step;
    const isKnown = this.#trace !== null;
    this.#step = step === null ? null : Math.max(0, isKnown ? Math.min(step, this.#length) : step);
    this.#card.hidden = this.#step === null || !isKnown;
    this.#start.setAttribute('aria-pressed', String(!this.#card.hidden));
    if (!this.#card.hidden) this.#draw(/** @type {number} */ (this.#step));
    if (isKnown && (step !== null || before !== null)) this.dispatchEvent(new Event('step'));
  }

  #name() {
    this.#toggle.textContent = this.#timer === undefined ? 'Play' : 'Pause';
  }

  /** @param {number} step */
  #draw(step) {
    const trace = /** @type {Trace} */ (this.#trace);
    const target = /** @type {import('../../view/trace.js').Side} */ (trace.target);
    const length = this.#length;
    this.#at.max = String(length);
    this.#at.value = String(step);
    this.#count.textContent = `${step} of ${length}`;
    this.#at.setAttribute('aria-valuetext', `${step} of ${length} pieces`);
    [this.#buttons.back.disabled, this.#buttons.on.disabled] = [step === 0, step === length];
    const last = step - 1;
    // The text so far, its last piece in bold.
    const label = labelsOf(target)[last];
    const before = step > 0 ? target.text.slice(0, target.begin[last]) : '';
    this.#text.replaceChildren(
      before,
      ...(label ? [before && label.word ? ' ' : '', make('b', {}, label.text)] : ['…']),
    );
    this.#text.scrollLeft = this.#text.scrollWidth; // the end of a long text is in view
    // The likeliest pieces at this step.
    const others = step > 0 ? alternativesAt(trace, last) : [];
    this.#others.replaceChildren(
      ...others.map(({ label: other, probability, written }) =>
        make(written ? 'li.written' : 'li', {}, make('b', {}, other.text), ` ${formatWeight(probability)}`),
      ),
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === 'Escape') this.#close();
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.target === this.#at || event.target === this.#speed) return; // these use the arrow keys themselves
    event.preventDefault();
    this.#go(by);
  }
}

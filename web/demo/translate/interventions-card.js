// The card of interventions. The reader switches heads off or makes them uniform, hides cells, and sets weights. The sentence is
// translated again with these changes, beside the original.

import { make, segmented, slider } from '../shared/dom.js';
import { LatestRun, failureText } from '../shared/latest.js';
import { textOf, interventionsOf, isAt, isWhole, kMostChanges, range, weightOf, withWeight } from './intervention.js';
import { markDifferences } from './text-difference.js';
import { Pane, align, shareSelection } from './comparison-pane.js';

/** @typedef {import('../../lib/index.js').Trace} Trace */
/** @typedef {import('../../view/selection.js').Place} Cell */
/** @typedef {import('./intervention.js').Change} Change */

/** @type {Record<string, import('./intervention.js').Attention>} */
const kAttentions = { cross: 'cross', encoderSelf: 'encoder', decoderSelf: 'decoder' };
const kStep = 0.05; // of a weight, for a turn of the wheel or a key
const kSteps = /** @type {Record<string, number>} */ ({ '+': kStep, '=': kStep, '-': -kStep, '−': -kStep });

/** Dispatches `change` when the reader changed the list of changes. */
export class InterventionsCard extends EventTarget {
  #explorer;
  #model;
  #card;
  #list;
  #message;
  #mode;
  #hide;
  #weight;
  #panes;
  /** @type {Change[]} */
  #changes = [];
  /** The original in view. @type {{trace: Trace, prefix: number[] | null} | null} */
  #original = null;
  #run = new LatestRun(
    (signal) => this.#translate(signal),
    (error) => this.#failed(error),
  );

  /**
   * @param {ParentNode} root
   * @param {import('../shared/explorer.js').Explorer} explorer
   * @param {import('./intervention-model.js').InterventionModel} model
   */
  constructor(root, explorer, model) {
    super();
    // The parts of the card.
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#explorer = explorer;
    this.#model = model;
    this.#card = /** @type {HTMLElement} */ (find('#changes'));
    this.#list = /** @type {HTMLElement} */ (find('#changes-list'));
    this.#message = /** @type {HTMLElement} */ (find('#changes-message'));
    this.#hide = /** @type {HTMLButtonElement} */ (find('#changes-hide'));
    // The choice for the head in view, the weight of the pinned cell, and the panes.
    this.#mode = segmented(
      'This head',
      [
        ['look', 'look'],
        ['off', 'off'],
        ['uniform', 'uniform'],
      ],
      (mode) => this.#setMode(mode),
    );
    this.#weight = slider(
      'Weight of the cell',
      { min: 0, max: 100, step: 1, say: (hundredths) => (hundredths / 100).toFixed(2) },
      (hundredths) => this.#setWeight(this.#explorer.selection.pinned, hundredths / 100),
    );
    find('#changes-mode').append(this.#mode.node);
    find('#changes-weight').append(this.#weight.node);
    this.#panes = ['Original', 'Changed'].map((name) => new Pane(make('h3', {}, name), name));
    shareSelection(this.#panes[0], this.#panes[1]);
    find('#changes-panes').append(...this.#panes.map(({ node }) => node));
    // What the reader does.
    this.#hide.addEventListener('click', () => this.#hidePinned());
    find('#changes-undo').addEventListener('click', () => this.#undoAll());
    explorer.addEventListener('change', () => this.#show());
    explorer.selection.addEventListener('change', () => this.#showPinned());
    const matrix = find('qkv-matrix');
    this.#listenToDrags(matrix);
    this.#listenForWeights(matrix);
    this.#show();
  }

  get list() {
    return this.#changes;
  }
  set list(changes) {
    this.#changes = changes;
    this.#show();
    this.#run.request();
  }

  /** To be called when another model comes into view: it has other heads. */
  forget() {
    this.#original = null;
  }

  /** @param {Trace | null} trace of the sentence in view, unchanged @param {number[] | null} prefix that it began with */
  show(trace, prefix) {
    this.#original = trace && { trace, prefix };
    this.#showPinned();
    this.#run.request();
  }

  /** The place of the head in view; null: its weights cannot be changed. */
  get #place() {
    const { slice } = this.#explorer;
    const attention = slice && slice.keySide !== null && kAttentions[slice.kind];
    return attention ? { attention, layer: slice.layer, head: slice.head } : null;
  }

  /** @param {string} mode */
  #setMode(mode) {
    const place = this.#place;
    if (!place) return;
    const others = this.#changes.filter((change) => !isWhole(change) || !isAt(change, place));
    this.#set(mode === 'look' ? others : [...others, { kind: mode, ...place, keys: [] }]);
  }

  /** Hides the pinned cell, or the pinned column. */
  #hidePinned() {
    const { pinned } = this.#explorer.selection;
    if (pinned && pinned.key !== null) this.#hideCells(pinned.query === null ? null : [pinned.query], [pinned.key]);
  }

  /** @param {number[] | null} queries null: all @param {number[]} keys */
  #hideCells(queries, keys) {
    const place = this.#place;
    if (place) this.#set([...this.#changes, { kind: 'hide', ...place, ...(queries && { queries }), keys }]);
  }

  /** The weight of a cell after the changes; null: it cannot be set. @param {Cell | null} cell */
  #weightOf(cell) {
    const place = this.#place;
    if (!place || !this.#original || cell?.query == null || cell.key === null) return null;
    return weightOf(this.#changes, this.#original.trace, place, cell.query, cell.key);
  }

  /** @param {Cell | null} cell @param {number} weight */
  #setWeight(cell, weight) {
    const place = this.#place;
    if (!place || cell?.query == null || cell.key === null || this.#weightOf(cell) === null) return;
    this.#set(withWeight(this.#changes, place, cell.query, cell.key, weight));
    const { queries, keys } = /** @type {import('../../view/trace.js').Slice} */ (this.#explorer.slice);
    const now = /** @type {number} */ (this.#weightOf(cell)).toFixed(2);
    this.#say(`“${queries[cell.query].text}” now gives ${now} to “${keys[cell.key].text}”.`);
  }

  /** Changes the weight of the pinned cell by the wheel, and of the focused cell by the keys + and −. @param {HTMLElement} matrix */
  #listenForWeights(matrix) {
    const { selection } = this.#explorer;
    const turn = (/** @type {Event} */ event, /** @type {Cell | null} */ cell, /** @type {number} */ step) => {
      const weight = this.#weightOf(cell);
      if (weight === null) return;
      event.preventDefault();
      this.#setWeight(cell, weight + step);
    };
    const wheel = (/** @type {WheelEvent} */ event) => {
      const { pinned, current } = selection;
      const isOverPinned = pinned?.query != null && pinned.query === current?.query && pinned.key === current.key;
      if (isOverPinned && event.deltaY !== 0) turn(event, pinned, event.deltaY < 0 ? kStep : -kStep);
    };
    matrix.addEventListener('wheel', wheel, { passive: false });
    matrix.addEventListener('keydown', (event) => {
      const step = kSteps[event.key];
      if (step && !event.ctrlKey && !event.metaKey && !event.altKey) turn(event, selection.current, step);
    });
    matrix.setAttribute('aria-keyshortcuts', '+ -');
    matrix.setAttribute('aria-describedby', 'changes-keys');
  }

  /** Hides the cells of a drag. A press without a drag hides nothing. @param {HTMLElement} matrix */
  #listenToDrags(matrix) {
    const { selection } = this.#explorer;
    /** @type {Cell | null} */
    let from = null;
    matrix.addEventListener('pointerdown', (event) => {
      from = event.pointerType === 'touch' ? null : selection.current;
    });
    matrix.addEventListener(
      'click',
      (event) => {
        const to = selection.current;
        if (!from || !to || from.query === null || from.key === null || to.query === null || to.key === null) return;
        if (from.query === to.query && from.key === to.key) return;
        event.stopPropagation(); // else the click would pin the last cell
        this.#hideCells(range(from.query, to.query), range(from.key, to.key));
        from = null;
      },
      { capture: true },
    );
  }

  /** @param {Change[]} changes */
  #set(changes) {
    this.list = changes.slice(0, kMostChanges);
    this.dispatchEvent(new Event('change'));
  }

  /** Takes one change back. The focus moves to the next change. @param {number} index */
  #undo(index) {
    this.#set(this.#changes.filter((_, i) => i !== index));
    const left = this.#list.querySelectorAll('button');
    if (left.length > 0) left[Math.min(index, left.length - 1)].focus();
    else this.#focusMode();
  }

  #undoAll() {
    this.#set([]);
    this.#focusMode();
  }

  /** Keeps the focus in the card when the last button of a change was removed. */
  #focusMode() {
    /** @type {HTMLElement | null} */ (this.#mode.node.querySelector('input:checked'))?.focus();
  }

  #show() {
    const place = this.#place;
    const own = this.#changes.find((change) => isWhole(change) && isAt(change, place));
    this.#mode.set(own?.kind ?? 'look');
    /** @type {any} */ (this.#mode.node).disabled = !place;
    this.#card.classList.toggle('open', this.#changes.length > 0);
    this.#list.replaceChildren(...this.#changes.map((change, i) => this.#line(change, i)));
    this.#showPinned();
  }

  /** Shows what can be done with the pinned cell. */
  #showPinned() {
    const { pinned } = this.#explorer.selection;
    this.#hide.disabled = !this.#place || pinned?.key == null;
    const weight = this.#weightOf(pinned);
    /** @type {HTMLInputElement} */ (this.#weight.node.querySelector('input')).disabled = weight === null;
    this.#weight.node.classList.toggle('none', weight === null);
    this.#weight.set(Math.round(100 * (weight ?? 0)));
  }

  /** @param {Change} change @param {number} index */
  #line(change, index) {
    const text = textOf(change);
    const undo = make('button.quiet', { type: 'button', 'aria-label': `Undo: ${text}` }, 'undo');
    undo.addEventListener('click', () => this.#undo(index));
    return make('li', {}, make('span', {}, text), ' ', undo);
  }

  /** @param {string} text */
  #say(text) {
    this.#message.textContent = text;
  }

  /** @param {unknown} error */
  #failed(error) {
    for (const pane of this.#panes) pane.busy(false);
    this.#say(failureText(error));
  }

  /** @param {AbortSignal} signal */
  async #translate(signal) {
    const original = this.#original;
    if (!original || this.#changes.length === 0) return this.#say('');
    // Translates with the changes.
    for (const pane of this.#panes) pane.busy(true);
    const translator = await this.#model.get();
    signal.throwIfAborted();
    const { trace, prefix } = original;
    const changed = await translator.trace(trace.source.text, {
      signal,
      prefix: prefix ?? undefined,
      interventions: interventionsOf(this.#changes, trace),
    });
    signal.throwIfAborted();
    // Shows both translations, with the head in view.
    const which = this.#explorer.slice ?? { kind: /** @type {const} */ ('alignment'), layer: 0, head: 0 };
    this.#panes[0].show(trace, which);
    this.#panes[1].show(changed, which, (text) => markDifferences(text, trace.target.text));
    align(this.#panes);
    if (changed.target.text === trace.target.text) this.#say('The translation is the same.');
    else if (this.#message.textContent === 'The translation is the same.') this.#say('');
  }
}

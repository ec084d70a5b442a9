// The attention card. It holds the kind, layer and head in view, and describes the place that the pointer is at.

import { Selection, alternativesAt, headsOf, sliceOf } from '../../view/index.js';
import { placeOfPiece, writtenOf } from '../../view/trace.js';
import { showReading } from './reading.js';
import { kGates, kTranslation, kUndrawn, kWindow } from './words.js';

/** @typedef {import('../../view/trace.js').Kind} Kind */
/** @typedef {import('../../view/trace.js').Slice} Slice */
/** @typedef {import('../../view/trace.js').Trace} Trace */
/** @typedef {import('../../view/heads.js').Head} Head */

/** @typedef {import('./words.js').Words} Words */

/** @typedef {'matrix' | 'lines'} View */
/** @typedef {'absolute' | 'row'} Scaling */

/**
 * Which part of a trace is in view, and how it is drawn.
 * @typedef {object} ViewState
 * @property {Kind} kind
 * @property {Head | null} head null: the reader chose none, so the first one is shown
 * @property {View} view
 * @property {Scaling} scaling
 */

export const kKindNames = /** @type {const} */ (['cross', 'encoderSelf', 'decoderSelf', 'alignment']);

/**
 * Gives all views of a trace one selection and one matrix. Dispatches `change` when another matrix is in view, `viewchange`
 * when the reader chose another view, and `pick` when the reader picked another piece (detail: the index of the target
 * piece, and the id of the piece that replaces it).
 */
export class Explorer extends EventTarget {
  selection = new Selection();
  /** @type {Slice | null} the slice in the matrix */
  slice = null;
  /** @type {Trace | null} */
  #trace = null;
  /** @type {Kind} */
  #kind = 'cross';
  /** @type {View} */
  #view = 'matrix';
  /** @type {Scaling} */
  #scaling = 'absolute';
  /** The heads that the reader chose. @type {Record<Kind, Head | null>} */
  #chosen = { cross: null, encoderSelf: null, decoderSelf: null, alignment: null };
  /** The heads of this trace that are shown if the reader chose none, or one that it does not have. @type {Record<Kind, Head | null>} */
  #first = { cross: null, encoderSelf: null, decoderSelf: null, alignment: null };
  /** @type {Head | null} */
  #preview = null;
  #canPick = false;
  /** How many target pieces are in view; null: all. @type {number | null} */
  #written = null;
  /** The target piece to pin in the next trace. */
  #kept = -1;
  /** Makes a link that explains the weight of a pinned cell. @type {((slice: Slice, cell: {query: number, key: number}) => Node) | null} */
  explain = null;
  #words;
  #layer;
  #part;

  /**
   * @param {ParentNode} root
   * @param {{words?: Words, kind?: Kind, layer?: number}} [options] the names and captions of the views, the kind that is
   *   in view first, and the layer of self-attention that is in view first
   */
  constructor(root, { words = kTranslation, kind = 'cross', layer = 0 } = {}) {
    super();
    this.#layer = layer;
    this.#words = words;
    this.#kind = kind;
    this.#part = parts(root);
    const { matrix, lines, heads, pieces, kinds, views, rowScale } = this.#part;
    for (const view of [matrix, lines, heads, ...pieces]) view.selection = this.selection;
    radio(kinds, kind).checked = true;
    kinds.addEventListener('change', () => this.#set({ kind: checked(kinds) }));
    views.addEventListener('change', () => this.#set({ view: checked(views) }));
    rowScale.addEventListener('change', () => this.#set({ scaling: rowScale.checked ? 'row' : 'absolute' }));
    heads.addEventListener('qkv-preview', (event) => this.#previewed(/** @type {CustomEvent} */ (event).detail));
    heads.addEventListener('qkv-choose', (event) => this.#choose(/** @type {CustomEvent} */ (event).detail));
    this.selection.addEventListener('change', () => this.#read());
    document.addEventListener('keydown', (event) => event.key === 'Escape' && this.#clearSelection());
    this.#show();
  }

  /** @param {Words} words for the next trace */
  set words(words) {
    this.#words = words;
  }

  /** Pins a target piece in the next trace. @param {number} piece */
  keep(piece) {
    this.#kept = piece;
  }

  /** How many target pieces are in view; null: all. The last of them is pinned. @param {number | null} written */
  set written(written) {
    if (written === this.#written) return;
    this.#written = written;
    const { heads, pieces } = this.#part;
    heads.written = written;
    for (const row of pieces) if (row.side === 'target') row.written = written;
    this.#show();
    this.selection.pin(written && this.slice ? placeOfPiece(this.slice, 'target', written - 1) : null);
  }

  /**
   * @param {Trace | null} trace null: no trace
   * @param {boolean} canPick whether the sentence can be translated again with another piece
   */
  show(trace, canPick) {
    const hadFocus = this.#part.reading.contains(document.activeElement);
    this.#canPick = canPick;
    this.#trace = trace;
    this.#preview = null;
    this.selection.clear();
    if (trace) this.#setFirstHeads(trace);
    for (const row of this.#part.pieces) row.show(trace?.[row.side] ?? null);
    this.#show();
    // The piece that the reader picked stays pinned, and the focus stays among the alternatives.
    if (this.slice?.querySide === 'target' && this.#kept >= 0 && this.#kept < this.slice.queries.length)
      this.selection.toggle({ query: this.#kept, key: null });
    this.#kept = -1;
    if (hadFocus) /** @type {HTMLElement | null} */ (this.#part.reading.querySelector('[aria-pressed=true]'))?.focus();
  }

  /** Clears the selection. If the focus was on an alternative, it moves to that piece: the alternatives are removed. */
  #clearSelection() {
    const { reading, pieces } = this.#part;
    const query = this.selection.pinned?.query ?? null;
    const hadFocus = reading.contains(document.activeElement);
    this.selection.clear();
    const target = pieces.find((row) => row.side === 'target');
    if (hadFocus && query !== null) target?.querySelectorAll('button')[query]?.focus();
  }

  /**
   * Sets the heads that are in view first. For cross attention it is the head that agrees best with the alignment.
   * @param {Trace} trace
   */
  #setFirstHeads(trace) {
    const { alignment, cross } = trace;
    const [layer, head] = alignment?.heads[0] ?? [Math.max(0, (cross?.shape[0] ?? 0) - 1), 0];
    const self = (/** @type {'encoderSelf' | 'decoderSelf'} */ kind) => {
      return { layer: Math.max(0, Math.min(this.#layer, (trace[kind]?.shape[0] ?? 0) - 1)), head: 0 };
    };
    const selves = { encoderSelf: self('encoderSelf'), decoderSelf: self('decoderSelf') };
    this.#first = { cross: { layer, head }, ...selves, alignment: null };
    const has = (/** @type {Kind} */ kind) => sliceOf(trace, { kind, layer: 0, head: 0 });
    if (has(this.#kind)) return;
    this.#kind = kKindNames.find(has) ?? 'cross';
    radio(this.#part.kinds, this.#kind).checked = true;
  }

  /** The head in view: the reader's choice, if the model has it. @param {Kind} kind @returns {Head | null} */
  #headOf(kind) {
    const chosen = this.#chosen[kind];
    const [layers, heads] = (kind !== 'alignment' && this.#trace && headsOf(this.#trace, kind)) || [0, 0];
    return chosen && chosen.layer < layers && chosen.head < heads ? chosen : this.#first[kind];
  }

  /** The view in an address. Its head is null if the reader chose none. @returns {ViewState} */
  get viewState() {
    return { kind: this.#kind, head: this.#chosen[this.#kind], view: this.#view, scaling: this.#scaling };
  }
  set viewState({ kind, head, view, scaling }) {
    if (kind !== this.#kind) this.selection.clear();
    [this.#kind, this.#view, this.#scaling] = [kind, view, scaling];
    if (kind !== 'alignment') this.#chosen[kind] = head;
    if (this.#trace) this.#setFirstHeads(this.#trace);
    this.#preview = null;
    const { kinds, views, rowScale } = this.#part;
    radio(kinds, kind).checked = true;
    radio(views, view).checked = true;
    rowScale.checked = scaling === 'row';
    this.#show();
  }

  /**
   * The current view, for files that the reader saves.
   * @returns {{figure: import('../../view/figure.js').Figure, trace: Trace} | null}
   */
  get inView() {
    const [trace, slice] = [this.#trace, this.slice];
    if (!trace || !slice) return null;
    const { name, queries, keys } = this.#words.kinds[slice.kind];
    const gates = slice.keySide === null;
    const head = gates ? 'forget gates' : `head ${slice.head + 1}`;
    const title = slice.kind === 'alignment' ? name : `${name}, layer ${slice.layer + 1}, ${head}`;
    const [view, columns] = gates ? [/** @type {View} */ ('matrix'), kGates.keys] : [this.#view, keys];
    return { figure: { slice, view, scaling: this.#scaling, title, queries, keys: columns }, trace };
  }

  /** The reader's choice. @param {Partial<ViewState>} change */
  #set(change) {
    const { kind, view, scaling } = { ...this.viewState, ...change };
    this.viewState = { kind, head: this.#chosen[kind], view, scaling };
    this.dispatchEvent(new Event('viewchange'));
  }

  /** @param {Head} head */
  #choose(head) {
    const kind = this.#kind === 'alignment' ? 'cross' : this.#kind;
    this.#chosen[kind] = head;
    this.#preview = null;
    radio(this.#part.kinds, kind).checked = true;
    this.#kind = kind;
    this.#show();
    this.dispatchEvent(new Event('viewchange'));
  }

  /** @param {Head | null} head */
  #previewed(head) {
    this.#preview = head;
    this.#show();
  }

  #show() {
    const { matrix, lines, heads, pieces, kinds, legend } = this.#part;
    // The matrix in view: that of the head under the pointer, or of the chosen one.
    const trace = this.#trace;
    const chosen = this.#headOf(this.#kind);
    const kind = this.#kind === 'alignment' && this.#preview ? 'cross' : this.#kind;
    const which = this.#preview ?? chosen ?? { layer: 0, head: 0 };
    const whole = trace && sliceOf(trace, { kind, ...which });
    this.slice = whole && writtenOf(whole, this.#written);
    // It is drawn as a matrix or as lines.
    matrix.hidden = this.#view !== 'matrix' && this.slice?.keySide !== null; // units have no lines
    lines.hidden = !matrix.hidden;
    for (const view of [matrix, lines, heads]) view.scaling = this.#scaling;
    for (const view of [matrix, lines, ...pieces]) view.slice = this.slice;
    legend.setAttribute('scaling', this.#scaling);
    legend.setAttribute('view', this.#view);
    // The thumbnails of all heads, the names, and the kinds that the trace has.
    const averaged = trace?.alignment?.heads.map(([layer, head]) => ({ layer, head })) ?? [];
    this.#part.card?.classList.toggle('none', trace !== null && this.slice === null);
    heads.show(trace, this.#kind, chosen, this.#kind === 'alignment' ? averaged : []);
    this.#name(kind, which);
    if (trace)
      for (const other of kKindNames)
        radio(kinds, other).disabled = !sliceOf(trace, { kind: other, layer: 0, head: 0 });
    this.#read();
    this.dispatchEvent(new Event('change'));
  }

  /** @param {Kind} kind @param {Head} which */
  #name(kind, which) {
    const { caption, axes, headName, headsNote } = this.#part;
    const { name, queries, keys } = this.#words.kinds[kind];
    const gates = this.slice?.keySide === null;
    const drawn = this.#view === 'lines' && !gates;
    const one = gates ? 'forget gates' : `head ${which.head + 1}`;
    const head = this.slice && kind !== 'alignment' ? `layer ${which.layer + 1}, ${one}` : '';
    headName.replaceChildren(name, ' ', text('small', head));
    caption.textContent = this.#caption(drawn);
    const [across, down] = drawn ? ['above:', 'below:'] : ['→', '↓'];
    axes.replaceChildren(
      text('span', `${across} ${gates ? kGates.keys : keys}`, 'key'),
      text('span', `${down} ${queries}`, 'query'),
    );
    headsNote.textContent = this.#kind === 'alignment' ? (this.#trace?.alignment?.note ?? '') : '';
  }

  /** @param {boolean} drawn as lines */
  #caption(drawn) {
    if (this.#trace && !this.slice) return this.#words.none;
    if (this.slice?.keySide === null) return kGates.caption;
    const { lines, caption } = this.#words.kinds[this.#kind];
    if (drawn) return `${lines} ${kUndrawn}`;
    return this.slice?.window ? `${caption} ${kWindow}` : caption;
  }

  #read() {
    const trace = this.#trace;
    const logProbs = trace?.target?.logProbs;
    const { reading, spoken } = this.#part;
    showReading(reading, spoken, {
      slice: this.slice,
      selection: this.selection,
      probability: (query) => (logProbs?.[query] === undefined ? null : Math.exp(logProbs[query])),
      alternatives: (query) => (trace ? alternativesAt(trace, query) : []),
      pick: this.#canPick
        ? (query, { id }) => this.dispatchEvent(new CustomEvent('pick', { detail: { query, id } }))
        : null,
      explain: this.explain && this.slice && ((cell) => /** @type {any} */ (this.explain)(this.slice, cell)),
      empty: trace ? '' : this.#words.empty, // for a trace without attention the caption says why there is none
    });
  }
}

/** @param {Element} choices @param {string} value @returns {HTMLInputElement} */
const radio = (choices, value) => /** @type {HTMLInputElement} */ (choices.querySelector(`[value=${value}]`));

/** @param {Element} choices @returns {any} the value of the radio button that is checked */
const checked = (choices) => /** @type {HTMLInputElement} */ (choices.querySelector(':checked')).value;

/** @param {string} tag @param {string} content @param {string} [name] */
function text(tag, content, name) {
  const element = document.createElement(tag);
  element.textContent = content;
  if (name) element.className = name;
  return element;
}

/** @param {ParentNode} root */
function parts(root) {
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  return {
    card: /** @type {HTMLElement | null} */ (root.querySelector('.card.attention')),
    matrix: /** @type {import('../../view/matrix.js').MatrixElement} */ (find('qkv-matrix')),
    lines: /** @type {import('../../view/lines.js').LinesElement} */ (find('qkv-lines')),
    heads: /** @type {import('../../view/heads.js').HeadsElement} */ (find('qkv-heads')),
    pieces: /** @type {import('../../view/pieces.js').PiecesElement[]} */ ([...root.querySelectorAll('qkv-pieces')]),
    legend: /** @type {HTMLElement} */ (find('qkv-legend')),
    kinds: /** @type {HTMLFieldSetElement} */ (find('#kind')),
    views: /** @type {HTMLFieldSetElement} */ (find('#view')),
    rowScale: /** @type {HTMLInputElement} */ (find('#row-scale')),
    reading: /** @type {HTMLElement} */ (find('#reading')),
    spoken: /** @type {HTMLElement} */ (find('#spoken')),
    caption: /** @type {HTMLElement} */ (find('#caption')),
    axes: /** @type {HTMLElement} */ (find('#axes')),
    headName: /** @type {HTMLElement} */ (find('#head-name')),
    headsNote: /** @type {HTMLElement} */ (find('#heads-note')),
  };
}

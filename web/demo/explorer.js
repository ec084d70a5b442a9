// The attention card: which kind, layer and head is in view, and what pointing at it says.

import { Selection, sliceOf } from '../view/index.js';
import { showReading } from './reading.js';

/** @typedef {import('../view/trace.js').Kind} Kind */
/** @typedef {import('../view/trace.js').Slice} Slice */
/** @typedef {import('../view/trace.js').Trace} Trace */
/** @typedef {import('../view/heads.js').Head} Head */

/** @type {Record<Kind, {name: string, caption: string, queries: string, keys: string}>} */
const kKinds = {
  cross: {
    name: 'Cross attention',
    caption: 'Each row is a French piece as it is written; its cells say how much of each English piece it read.',
    queries: 'target: what is written',
    keys: 'source: what is read',
  },
  encoderSelf: {
    name: 'Encoder self-attention',
    caption: 'Each row is an English piece; its cells say how much it took in of every English piece.',
    queries: 'source: what takes in',
    keys: 'source: what is taken in',
  },
  decoderSelf: {
    name: 'Decoder self-attention',
    caption:
      'Each row is a French piece as it is written; it sees only what came before, from <pad> on. Hatched: masked.',
    queries: 'target: what is written',
    keys: 'target: written before',
  },
  alignment: {
    name: 'Alignment',
    caption: 'Which English pieces each French piece comes from: the mean of the marked heads.',
    queries: 'target: what is written',
    keys: 'source: what is read',
  },
};

const kAll = /** @type {Kind[]} */ (Object.keys(kKinds));

/** Ties the views to one selection and one choice. Dispatches `change` when another matrix is in view. */
export class Explorer extends EventTarget {
  selection = new Selection();
  /** @type {Slice | null} what the matrix shows */
  slice = null;
  /** @type {Trace | null} */
  #trace = null;
  /** @type {Kind} */
  #kind = 'cross';
  /** @type {Record<Kind, Head | null>} */
  #chosen = { cross: null, encoderSelf: null, decoderSelf: null, alignment: null };
  /** @type {Head | null} */
  #preview = null;
  #part;

  /** @param {ParentNode} root */
  constructor(root) {
    super();
    this.#part = parts(root);
    const { matrix, heads, source, target, kinds, rowScale } = this.#part;
    for (const view of [matrix, heads, source, target]) view.selection = this.selection;
    kinds.addEventListener('change', () => {
      this.#kind = kAll.find((kind) => this.#radio(kind).checked) ?? 'cross';
      this.selection.clear();
      this.#show();
    });
    heads.addEventListener('qkv-preview', (event) => this.#previewed(/** @type {CustomEvent} */ (event).detail));
    heads.addEventListener('qkv-choose', (event) => this.#choose(/** @type {CustomEvent} */ (event).detail));
    rowScale.addEventListener('change', () => this.#rescale(rowScale.checked ? 'row' : 'absolute'));
    this.selection.addEventListener('change', () => this.#read());
    document.addEventListener('keydown', (event) => event.key === 'Escape' && this.selection.clear());
    this.#show();
  }

  /** @param {Trace | null} trace null: there is nothing to look at */
  show(trace) {
    this.#trace = trace;
    this.#preview = null;
    this.selection.clear();
    if (trace) this.#start(trace);
    this.#part.source.show(trace?.source ?? null);
    this.#part.target.show(trace?.target ?? null);
    this.#show();
  }

  /**
   * The heads in view at first: for cross attention the one that agrees best with the words' links.
   * @param {Trace} trace
   */
  #start({ alignment, cross }) {
    const [layer, head] = alignment?.heads[0] ?? [cross.shape[0] - 1, 0];
    this.#chosen.cross ??= { layer, head };
    this.#chosen.encoderSelf ??= { layer: 0, head: 0 };
    this.#chosen.decoderSelf ??= { layer: 0, head: 0 };
  }

  /** @param {Head} head */
  #choose(head) {
    if (this.#kind === 'alignment') {
      this.#kind = 'cross';
      this.#radio('cross').checked = true;
    }
    this.#chosen[this.#kind] = head;
    this.#preview = null;
    this.#show();
  }

  /** @param {Head | null} head */
  #previewed(head) {
    this.#preview = head;
    this.#show();
  }

  /** @param {'absolute' | 'row'} scaling */
  #rescale(scaling) {
    this.#part.matrix.scaling = scaling;
    this.#part.heads.scaling = scaling;
    this.#part.legend.setAttribute('scaling', scaling);
  }

  #show() {
    const { matrix, heads, source, target } = this.#part;
    const trace = this.#trace;
    const chosen = this.#chosen[this.#kind];
    const kind = this.#kind === 'alignment' && this.#preview ? 'cross' : this.#kind;
    const which = this.#preview ?? chosen ?? { layer: 0, head: 0 };
    this.slice = trace && sliceOf(trace, { kind, ...which });
    for (const view of [matrix, source, target]) view.slice = this.slice;
    const averaged = trace?.alignment?.heads.map(([layer, head]) => ({ layer, head })) ?? [];
    heads.show(trace, this.#kind, chosen, this.#kind === 'alignment' ? averaged : []);
    this.#name(kind, which);
    if (trace)
      for (const other of kAll) this.#radio(other).disabled = !sliceOf(trace, { kind: other, layer: 0, head: 0 });
    this.#read();
    this.dispatchEvent(new Event('change'));
  }

  /** @param {Kind} kind @param {Head} which */
  #name(kind, which) {
    const { caption, axes, headName, headsNote } = this.#part;
    const { name, queries, keys } = kKinds[kind];
    const head = this.#trace && kind !== 'alignment' ? `layer ${which.layer + 1}, head ${which.head + 1}` : '';
    headName.replaceChildren(name, text('small', head));
    caption.textContent = kKinds[this.#kind].caption;
    axes.replaceChildren(text('span', `→ ${keys}`, 'key'), text('span', `↓ ${queries}`, 'query'));
    headsNote.textContent = this.#kind === 'alignment' ? (this.#trace?.alignment?.note ?? '') : '';
  }

  #read() {
    const logProbs = this.#trace?.target.logProbs;
    showReading(this.#part.reading, this.#part.spoken, this.slice, this.selection, (query) =>
      logProbs ? Math.exp(logProbs[query]) : null,
    );
  }

  /** @param {Kind} kind @returns {HTMLInputElement} */
  #radio(kind) {
    return /** @type {HTMLInputElement} */ (this.#part.kinds.querySelector(`[value=${kind}]`));
  }
}

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
    matrix: /** @type {import('../view/matrix.js').MatrixElement} */ (find('qkv-matrix')),
    heads: /** @type {import('../view/heads.js').HeadsElement} */ (find('qkv-heads')),
    source: /** @type {import('../view/pieces.js').PiecesElement} */ (find('qkv-pieces[side=source]')),
    target: /** @type {import('../view/pieces.js').PiecesElement} */ (find('qkv-pieces[side=target]')),
    legend: /** @type {HTMLElement} */ (find('qkv-legend')),
    kinds: /** @type {HTMLFieldSetElement} */ (find('#kind')),
    rowScale: /** @type {HTMLInputElement} */ (find('#row-scale')),
    reading: /** @type {HTMLElement} */ (find('#reading')),
    spoken: /** @type {HTMLElement} */ (find('#spoken')),
    caption: /** @type {HTMLElement} */ (find('#caption')),
    axes: /** @type {HTMLElement} */ (find('#axes')),
    headName: /** @type {HTMLElement} */ (find('#head-name')),
    headsNote: /** @type {HTMLElement} */ (find('#heads-note')),
  };
}

// The attention card: which kind, layer and head is in view, and what pointing at it says.

import { Selection, formatWeight, reading, sliceOf, weightsOf } from '../view/index.js';

/** @typedef {import('../view/trace.js').Kind} Kind */
/** @typedef {import('../view/trace.js').Slice} Slice */
/** @typedef {import('../view/trace.js').Trace} Trace */
/** @typedef {import('../view/heads.js').Head} Head */

/** @type {Record<Kind, {name: string, caption: string, queries: string, keys: string}>} */
const kKinds = {
  cross: {
    name: 'Cross attention',
    caption: 'Each row is a French piece as it is written: its cells say how much of each English piece it read.',
    queries: 'target: what is written (queries)',
    keys: 'source: what is read (keys)',
  },
  encoderSelf: {
    name: 'Encoder self-attention',
    caption: 'Each row is an English piece: its cells say how much of the other English pieces it took in.',
    queries: 'source: what takes in (queries)',
    keys: 'source: what is taken in (keys)',
  },
  decoderSelf: {
    name: 'Decoder self-attention',
    caption: 'Each row is a French piece as it is written: it sees only what is written before it. Hatched: masked.',
    queries: 'target: what is written (queries)',
    keys: 'target: what is written already (keys)',
  },
  alignment: {
    name: 'Alignment',
    caption: 'Which English pieces each French piece comes from: a mean over the heads marked on the right.',
    queries: 'target: what is written',
    keys: 'source: what is read',
  },
};

/** Ties the views to one selection and one choice. Dispatches `change` when a new matrix is in view. */
export class Explorer extends EventTarget {
  selection = new Selection();
  /** @type {Slice | null} */
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
    kinds.addEventListener('change', (event) => {
      this.#kind = /** @type {Kind} */ (/** @type {HTMLInputElement} */ (event.target).value);
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
    if (trace) {
      const [layer, head] = trace.alignment?.heads[0] ?? [trace.cross.shape[0] - 1, 0];
      this.#chosen.cross ??= { layer, head };
      this.#chosen.encoderSelf ??= { layer: 0, head: 0 };
      this.#chosen.decoderSelf ??= { layer: 0, head: 0 };
    }
    this.#part.source.show(trace?.source ?? null);
    this.#part.target.show(trace?.target ?? null);
    this.#show();
  }

  /** @param {Head} head */
  #choose(head) {
    if (this.#kind === 'alignment') {
      this.#kind = 'cross';
      /** @type {HTMLInputElement} */ (this.#part.kinds.querySelector('[value=cross]')).checked = true;
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
    const { matrix, heads, source, target, caption, axes, headName, headsCaption } = this.#part;
    const trace = this.#trace;
    const words = kKinds[this.#kind];
    const chosen = this.#chosen[this.#kind];
    const previewed = this.#kind === 'alignment' && this.#preview ? 'cross' : this.#kind;
    const which = this.#preview ?? chosen ?? { layer: 0, head: 0 };
    this.slice = trace && sliceOf(trace, { kind: previewed, ...which });
    matrix.slice = this.slice;
    source.slice = this.slice;
    target.slice = this.slice;
    const averaged = trace?.alignment?.heads.map(([layer, head]) => ({ layer, head })) ?? [];
    heads.show(trace, this.#kind, chosen, this.#kind === 'alignment' ? averaged : []);
    const place = previewed === 'alignment' ? '' : `layer ${which.layer + 1}, head ${which.head + 1}`;
    headName.replaceChildren(kKinds[previewed].name, text('small', trace ? place : ''));
    caption.textContent = words.caption;
    axes.replaceChildren(text('span', `→ ${words.keys}`, 'key'), text('span', `↓ ${words.queries}`, 'query'));
    headsCaption.textContent = this.#headsNote();
    if (trace)
      for (const kind of kAll) this.#enable(kind, kind === 'alignment' ? !!trace.alignment : !!weightsOf(trace, kind));
    this.#read();
    this.dispatchEvent(new Event('change'));
  }

  #headsNote() {
    if (this.#kind === 'alignment') return this.#trace?.alignment?.note ?? '';
    return 'Rows are layers, columns heads. Point to look, click to keep.';
  }

  /** @param {Kind} kind @param {boolean} possible */
  #enable(kind, possible) {
    /** @type {HTMLInputElement} */ (this.#part.kinds.querySelector(`[value=${kind}]`)).disabled = !possible;
  }

  #read() {
    const { current, pinned } = this.selection;
    const out = this.#part.reading;
    if (!this.slice || !current) {
      out.textContent = this.slice ? 'Point at a piece, a cell or a head; a click keeps it.' : '';
      out.classList.add('hint');
      return;
    }
    const { subject, relation, links } = reading(this.slice, current);
    const named = links.map(({ label, weight }) => {
      if (weight === null) return [text('b', label.text), ': it comes later, so it is masked'];
      return [text('b', label.text), ' ', text('span', formatWeight(weight), 'number')];
    });
    const list = named.flatMap((parts, i) => (i ? [', ', ...parts] : parts));
    out.classList.remove('hint');
    out.replaceChildren(text('b', subject.text), ` ${relation} `, ...list);
    if (pinned) out.append(text('span', 'pinned; Esc frees', 'pin'));
  }
}

const kAll = /** @type {Kind[]} */ (Object.keys(kKinds));

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
    caption: /** @type {HTMLElement} */ (find('#caption')),
    axes: /** @type {HTMLElement} */ (find('#axes')),
    headName: /** @type {HTMLElement} */ (find('#head-name')),
    headsCaption: /** @type {HTMLElement} */ (find('#heads-caption')),
  };
}

// Connects the running texts to the selection: pointing at a word selects it, and selected pieces are marked in both
// texts. Marks are CSS highlights over text nodes; in a browser without them only the pieces are highlighted.

import { piecesAt, placeOfPiece } from '../../view/index.js';

/** @typedef {import('../../view/trace.js').Side} Side */
/** @typedef {import('../../view/trace.js').SideName} SideName */
/** @typedef {import('./explorer.js').Explorer} Explorer */

/**
 * The place of a traced sentence in a running text.
 * @typedef {object} Standing
 * @property {SideName} name
 * @property {Side} side
 * @property {Text} node
 * @property {number} begin of the sentence in the node
 */

const kLevels = [0.05, 0.25, 0.6];
const kNames = ['qkv-weight-1', 'qkv-weight-2', 'qkv-weight-3', 'qkv-pointed'];

/** Marks the explorer's selection in the texts. */
export class Marks {
  #explorer;
  /** @type {Standing[]} */
  #standing = [];
  /** @type {number | null} */
  #written = null;

  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.#explorer = explorer;
    explorer.addEventListener('change', () => this.#draw());
    explorer.selection.addEventListener('change', () => this.#draw());
  }

  /** @param {Standing[]} standing */
  show(standing) {
    this.#standing = standing;
    this.#draw();
  }

  /** How many pieces of the target are in view; null: all. @param {number | null} written */
  set written(written) {
    this.#written = written;
    this.#draw();
  }

  /**
   * @param {HTMLElement} surface the element that the pointer meets over the text
   * @param {SideName} name
   */
  listen(surface, name) {
    const { selection } = this.#explorer;
    surface.addEventListener('pointermove', (event) =>
      selection.point(this.#placeAt(name, event.clientX, event.clientY)),
    );
    surface.addEventListener('pointerleave', () => selection.point(null));
  }

  /** @param {SideName} name @param {number} x @param {number} y */
  #placeAt(name, x, y) {
    const { slice } = this.#explorer;
    const piece = this.pieceAt(name, x, y);
    return slice && piece >= 0 ? placeOfPiece(slice, name, piece) : null;
  }

  /** The piece of a running text at a point of the window. @param {SideName} name @param {number} x @param {number} y @returns {number} -1: none */
  pieceAt(name, x, y) {
    const has = (/** @type {DOMRect} */ box) => x >= box.left && x < box.right && y >= box.top && y < box.bottom;
    const count = this.#standingOf(name)?.side.pieces.length ?? 0;
    return Array.from({ length: count }, (_, i) => i).findIndex((i) => this.boxesOf(name, i).some(has));
  }

  /** Where a piece stands in the window: a box for each line; none for a piece that stands for no text. @param {SideName} name @param {number} piece */
  boxesOf(name, piece) {
    const standing = this.#standingOf(name);
    return [...((standing && rangeOf(standing, piece))?.getClientRects() ?? [])];
  }

  /** @param {SideName} name */
  #standingOf(name) {
    return this.#standing.find((other) => other.name === name);
  }

  #draw() {
    if (typeof Highlight !== 'function') return;
    const sets = kNames.map(() => new Highlight());
    for (const standing of this.#standing) this.#mark(standing, sets);
    kNames.forEach((name, i) => CSS.highlights.set(name, sets[i]));
    CSS.highlights.set('qkv-unwritten', new Highlight(...this.#unwritten()));
  }

  /** The part of the target that is not written yet. */
  #unwritten() {
    const standing = this.#standingOf('target');
    if (this.#written === null || !standing) return [];
    const range = document.createRange();
    range.selectNodeContents(standing.node);
    const from = standing.begin + (this.#written > 0 ? standing.side.end[this.#written - 1] : 0);
    range.setStart(standing.node, Math.min(from, standing.node.length));
    return [range];
  }

  /** @param {Standing} standing @param {Highlight[]} sets */
  #mark(standing, sets) {
    const { slice, selection } = this.#explorer;
    if (!slice) return;
    const { pointed, weights } = piecesAt(slice, selection.current, standing.name);
    standing.side.pieces.forEach((_, i) => {
      const level = kLevels.filter((least) => (weights?.[i] ?? 0) >= least).length;
      const range = level || i === pointed ? rangeOf(standing, i) : null;
      if (!range) return;
      if (level) sets[level - 1].add(range);
      if (i === pointed) sets[kLevels.length].add(range);
    });
  }
}

/** @param {Standing} standing @param {number} piece @returns {Range | null} null for a piece that stands for no text */
function rangeOf({ side, node, begin }, piece) {
  const [from, to] = [begin + side.begin[piece], begin + side.end[piece]];
  if (from >= to || to > node.length) return null;
  const leading = /^\s*/.exec(node.data.slice(from, to))?.[0].length ?? 0;
  const range = document.createRange();
  range.setStart(node, Math.min(to, from + leading));
  range.setEnd(node, to);
  return range;
}

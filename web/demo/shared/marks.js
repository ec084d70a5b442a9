// Connects the running texts to the selection: pointing at a word selects it, and selected pieces are marked in both
// texts. The marks are CSS highlights of text nodes. In a browser without CSS highlights only the rows of pieces are marked.

import { piecesAt, placeOfPiece } from '../../view/index.js';

/** @typedef {import('../../view/trace.js').Side} Side */
/** @typedef {import('../../view/trace.js').SideName} SideName */
/** @typedef {import('./explorer.js').Explorer} Explorer */

/**
 * Where a traced sentence is in a running text.
 * @typedef {object} TextPosition
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
  /** @type {TextPosition[]} */
  #positions = [];
  /** @type {number | null} */
  #written = null;

  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.#explorer = explorer;
    explorer.addEventListener('change', () => this.#draw());
    explorer.selection.addEventListener('change', () => this.#draw());
  }

  /** @param {TextPosition[]} position */
  show(position) {
    this.#positions = position;
    this.#draw();
  }

  /** How many pieces of the target are in view; null: all. @param {number | null} written */
  set written(written) {
    this.#written = written;
    this.#draw();
  }

  /**
   * Selects the piece under the pointer.
   * @param {HTMLElement} surface the element over the text that receives the pointer's events
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

  /** The piece of a running text at a point in window coordinates. @param {SideName} name @param {number} x @param {number} y @returns {number} -1: none */
  pieceAt(name, x, y) {
    const has = (/** @type {DOMRect} */ box) => x >= box.left && x < box.right && y >= box.top && y < box.bottom;
    const count = this.#positionOf(name)?.side.pieces.length ?? 0;
    return Array.from({ length: count }, (_, i) => i).findIndex((i) => this.boxesOf(name, i).some(has));
  }

  /** The boxes of a piece in window coordinates, one for each line; none if the piece has no text. @param {SideName} name @param {number} piece */
  boxesOf(name, piece) {
    const position = this.#positionOf(name);
    return [...((position && rangeOf(position, piece))?.getClientRects() ?? [])];
  }

  /** @param {SideName} name */
  #positionOf(name) {
    return this.#positions.find((other) => other.name === name);
  }

  #draw() {
    if (typeof Highlight !== 'function') return;
    const sets = kNames.map(() => new Highlight());
    for (const position of this.#positions) this.#mark(position, sets);
    kNames.forEach((name, i) => CSS.highlights.set(name, sets[i]));
    CSS.highlights.set('qkv-unwritten', new Highlight(...this.#unwritten()));
  }

  /** The part of the target that is not written yet. */
  #unwritten() {
    const position = this.#positionOf('target');
    if (this.#written === null || !position) return [];
    const range = document.createRange();
    range.selectNodeContents(position.node);
    const from = position.begin + (this.#written > 0 ? position.side.end[this.#written - 1] : 0);
    range.setStart(position.node, Math.min(from, position.node.length));
    return [range];
  }

  /** @param {TextPosition} position @param {Highlight[]} sets */
  #mark(position, sets) {
    const { slice, selection } = this.#explorer;
    if (!slice) return;
    const { pointed, weights } = piecesAt(slice, selection.current, position.name);
    position.side.pieces.forEach((_, i) => {
      const level = kLevels.filter((least) => (weights?.[i] ?? 0) >= least).length;
      const range = level || i === pointed ? rangeOf(position, i) : null;
      if (!range) return;
      if (level) sets[level - 1].add(range);
      if (i === pointed) sets[kLevels.length].add(range);
    });
  }
}

/** @param {TextPosition} position @param {number} piece @returns {Range | null} null: the piece has no text */
function rangeOf({ side, node, begin }, piece) {
  const [from, to] = [begin + side.begin[piece], begin + side.end[piece]];
  if (from >= to || to > node.length) return null;
  const leading = /^\s*/.exec(node.data.slice(from, to))?.[0].length ?? 0;
  const range = document.createRange();
  range.setStart(node, Math.min(to, from + leading));
  range.setEnd(node, to);
  return range;
}

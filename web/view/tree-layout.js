// The layout of a search's pieces: one step to the right for each piece; paths continue in a row, with branches below
// them.

import { shorten } from './layout.js';
import { labelOf } from './trace.js';

/**
 * The record of a search, `qkv-search/1`.
 * @typedef {object} Search
 * @property {number} beam
 * @property {{text: string, score: number, logProb: number, pieces: string[], cut: string | boolean, node?: number}[]} hypotheses
 *   best first; `node` is a hypothesis' last entry in the tree
 * @property {{pieces: string[], ids: ArrayLike<number>, parents: ArrayLike<number>, logProbs: ArrayLike<number>}} [tree]
 * @property {string[]} [warnings]
 *   entry i continues entry parents[i], which stands before it; -1: nothing
 */

/**
 * A piece of the tree. Positions are in CSS pixels.
 * @typedef {object} Twig
 * @property {string} text as it is shown
 * @property {boolean} special a piece that stands for no text
 * @property {number} parent -1: the start
 * @property {number} next the entry that continues in the same row; -1: none
 * @property {number} depth from 0
 * @property {number} row from 0
 * @property {number} through the rank, from 0, of the best hypothesis through it; Infinity: it was dropped
 * @property {number} ends the rank of the hypothesis that ends with it; -1: none does
 * @property {number} logProb of the path from the start
 * @property {number} probability of this piece after those before it
 * @property {number} x its left edge
 * @property {number} width
 * @property {number} column the right edge of its column
 */

/** @typedef {{twigs: Twig[], width: number, height: number, font: number}} TreeLayout */

export const kRowHeight = 24;
export const kStart = 14; // the room that the start takes, left of the first pieces
const kFont = 13;
const kGap = 26; // between two columns, for the branches
const kPad = 4;

/**
 * @param {Search} search
 * @param {(text: string, size: number) => number} measure width of a label at a font size
 * @returns {TreeLayout}
 */
export function treeLayoutOf(search, measure) {
  const twigs = twigsOf(search);
  for (const [row, chain] of placed(chainsOf(twigs), twigs)) for (const node of chain) twigs[node].row = row;
  let right = kStart;
  for (let depth = 0; twigs.some((twig) => twig.depth === depth); ++depth) {
    const column = twigs.filter((twig) => twig.depth === depth);
    const left = right + kGap;
    for (const twig of column) {
      twig.x = left;
      twig.width = Math.ceil(measure(twig.text, kFont)) + 2 * kPad;
    }
    right = left + Math.max(...column.map(({ width }) => width));
    for (const twig of column) twig.column = right;
  }
  const rows = Math.max(0, ...twigs.map(({ row }) => row + 1));
  return { twigs, width: right + kPad, height: rows * kRowHeight, font: kFont };
}

/** @param {Search} search @returns {Twig[]} nowhere yet */
function twigsOf({ tree, hypotheses }) {
  const { pieces, parents, logProbs } = tree ?? { pieces: [], parents: [], logProbs: [] };
  /** @type {Twig[]} */
  const twigs = [];
  pieces.forEach((piece, i) => {
    const { text, special } = labelOf(piece);
    const parent = twigs[parents[i]];
    twigs.push({
      text: shorten(text),
      special,
      parent: parent ? parents[i] : -1,
      next: -1,
      depth: parent ? parent.depth + 1 : 0,
      row: 0,
      through: Infinity,
      ends: -1,
      logProb: logProbs[i],
      probability: Math.exp(logProbs[i] - (parent ? parent.logProb : 0)),
      ...{ x: 0, width: 0, column: 0 },
    });
  });
  hypotheses.forEach(({ node = -1, score }, rank) => {
    if (!twigs[node]) return;
    Object.assign(twigs[node], { ends: rank, text: `${rank + 1} · ${formatLog(score)}` });
    for (let at = node; at >= 0 && twigs[at].through === Infinity; at = twigs[at].parent) twigs[at].through = rank;
  });
  return twigs;
}

/** The state of a piece: on the path to the best hypothesis, to another one, or to none. @param {Twig} twig */
export const kindOf = ({ through }) => (through === Infinity ? 'dropped' : through === 0 ? 'best' : 'kept');

/**
 * The state of each piece once the search has made some steps: kept if a path that is still searched, or that has ended,
 * goes through it.
 * @param {Twig[]} twigs
 * @param {number | null} steps null: all
 * @returns {string[]}
 */
export function kindsAt(twigs, steps) {
  if (steps === null) return twigs.map(kindOf);
  const isKept = twigs.map(({ depth, ends }) => depth === steps - 1 || (ends >= 0 && depth < steps));
  for (let i = twigs.length - 1; i >= 0; --i) if (isKept[i] && twigs[i].parent >= 0) isKept[twigs[i].parent] = true;
  return twigs.map(({ depth }, i) => (depth >= steps ? 'later' : isKept[i] ? 'kept' : 'dropped'));
}

/** A logarithm as people read it. @param {number} value */
export const formatLog = (value) => value.toFixed(2).replace('-', '−');

/**
 * The paths of rows: each continues with the best hypothesis, or else as far as possible. It begins below its parent's
 * path.
 * @param {Twig[]} twigs
 * @returns {number[][]} a path's parent's path stands before it
 */
function chainsOf(twigs) {
  const reach = twigs.map(({ depth }) => depth);
  for (let i = twigs.length - 1; i >= 0; --i) {
    const { parent } = twigs[i];
    if (parent >= 0) reach[parent] = Math.max(reach[parent], reach[i]);
  }
  const goesOn = (/** @type {number} */ a, /** @type {number} */ b) =>
    compare(twigs[a].through, twigs[b].through) || reach[b] - reach[a] || twigs[b].logProb - twigs[a].logProb;
  /** @type {number[][]} */
  const children = twigs.map(() => []);
  /** @type {number[]} */
  const first = [];
  twigs.forEach(({ parent }, i) => (children[parent] ?? first).push(i));
  for (const siblings of children) siblings.sort(goesOn);
  children.forEach((siblings, i) => (twigs[i].next = siblings[0] ?? -1));
  const heads = [...first.sort(goesOn), ...children.flatMap((siblings) => siblings.slice(1))];
  const chains = heads.map((head) => {
    const chain = [];
    for (let at = head; at >= 0; at = twigs[at].next) chain.push(at);
    return chain;
  });
  const key = (/** @type {number[]} */ [head]) => twigs[head];
  return chains.sort(
    (a, b) => compare(key(a).through, key(b).through) || key(a).depth - key(b).depth || goesOn(a[0], b[0]),
  );
}

/** Also for infinities. @param {number} a @param {number} b */
const compare = (a, b) => (a === b ? 0 : a - b);

/**
 * Puts each path in the first row below its parent's that is free over its length.
 * @param {number[][]} chains
 * @param {Twig[]} twigs
 * @returns {[row: number, chain: number[]][]}
 */
function placed(chains, twigs) {
  /** @type {boolean[][]} */
  const taken = [];
  /** @type {Map<number, number>} */
  const rows = new Map();
  return chains.map((chain) => {
    const { parent, depth } = twigs[chain[0]];
    let row = parent < 0 ? 0 : /** @type {number} */ (rows.get(parent)) + 1;
    const isFree = () => chain.every((_, i) => !taken[row]?.[depth + i]);
    while (!isFree()) ++row;
    taken[row] ??= [];
    chain.forEach((node, i) => {
      taken[row][depth + i] = true;
      rows.set(node, row);
    });
    return [row, chain];
  });
}

/** A branch from a piece, or from the start, to the next. @param {Twig} twig @param {Twig | undefined} parent @returns {string} an SVG path */
export function branchOf(twig, parent) {
  const from = parent ?? { x: 0, width: kStart, column: kStart, row: 0 };
  const [y1, y2] = [from, twig].map(({ row }) => (row + 0.5) * kRowHeight);
  const [x1, x2] = [from.x + from.width, twig.x];
  const bend = (from.column + x2) / 2;
  return `M${x1} ${y1}H${from.column}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`;
}

// The layout of a search tree. Each piece is one column to the right of the piece before it. A path continues in its row, and
// its branches are below it.

import { shorten } from './layout.js';
import { labelOf } from './trace.js';

/**
 * The record of a search, `qkv-search/1`.
 * @typedef {object} Search
 * @property {number} beam
 * @property {{text: string, score: number, logProb: number, pieces: string[], cut: string | boolean, node?: number}[]} hypotheses
 *   best first; `node` is the last entry of a hypothesis in the tree
 * @property {{pieces: string[], ids: ArrayLike<number>, parents: ArrayLike<number>, logProbs: ArrayLike<number>}} [tree]
 *   entry i continues entry parents[i], which comes before it; -1: the start
 * @property {string[]} [warnings]
 */

/**
 * A piece of the tree. Positions are in CSS pixels.
 * @typedef {object} TreeNode
 * @property {string} text the shown text
 * @property {boolean} special whether the piece has no text
 * @property {number} parent -1: the start
 * @property {number} next the entry that continues in the same row; -1: none
 * @property {number} depth from 0
 * @property {number} row from 0
 * @property {number} through the rank, from 0, of the best hypothesis that contains it; Infinity: it was dropped
 * @property {number} ends the rank of the hypothesis that ends with it; -1: none
 * @property {number} logProb of the path from the start
 * @property {number} probability of this piece, given the pieces before it
 * @property {number} x its left edge
 * @property {number} width
 * @property {number} column the right edge of its column
 */

/** @typedef {{nodes: TreeNode[], width: number, height: number, font: number}} TreeLayout */

export const kRowHeight = 24;
export const kStart = 14; // the width of the start, left of the first pieces
const kFont = 13;
const kGap = 26; // between two columns, for the branches
const kPad = 4;

/**
 * @param {Search} search
 * @param {(text: string, size: number) => number} measure width of a label at a font size
 * @returns {TreeLayout}
 */
export function treeLayoutOf(search, measure) {
  // Rows first, then columns: each is as wide as its widest label.
  const nodes = nodesOf(search);
  for (const [row, chain] of placed(chainsOf(nodes), nodes)) for (const node of chain) nodes[node].row = row;
  let right = kStart;
  for (let depth = 0; nodes.some((node) => node.depth === depth); ++depth) {
    const column = nodes.filter((node) => node.depth === depth);
    const left = right + kGap;
    for (const node of column) {
      node.x = left;
      node.width = Math.ceil(measure(node.text, kFont)) + 2 * kPad;
    }
    right = left + Math.max(...column.map(({ width }) => width));
    for (const node of column) node.column = right;
  }
  const rows = Math.max(0, ...nodes.map(({ row }) => row + 1));
  return { nodes, width: right + kPad, height: rows * kRowHeight, font: kFont };
}

/** @param {Search} search @returns {TreeNode[]} without positions */
function nodesOf({ tree, hypotheses }) {
  const { pieces, parents, logProbs } = tree ?? { pieces: [], parents: [], logProbs: [] };
  // A node for each piece. Parents come first.
  /** @type {TreeNode[]} */
  const nodes = [];
  pieces.forEach((piece, i) => {
    const { text, special } = labelOf(piece);
    const parent = nodes[parents[i]];
    nodes.push({
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
  // The paths of the hypotheses, the best one first.
  hypotheses.forEach(({ node = -1, score }, rank) => {
    if (!nodes[node]) return;
    Object.assign(nodes[node], { ends: rank, text: `${rank + 1} · ${formatLog(score)}` });
    for (let at = node; at >= 0 && nodes[at].through === Infinity; at = nodes[at].parent) nodes[at].through = rank;
  });
  return nodes;
}

/** The state of a piece: on the path to the best hypothesis, on the path to another one, or dropped. @param {TreeNode} node */
export const kindOf = ({ through }) => (through === Infinity ? 'dropped' : through === 0 ? 'best' : 'kept');

/**
 * The state of each piece after some steps of the search. A piece is kept if it is on a path that has ended or is still
 * searched.
 * @param {TreeNode[]} nodes
 * @param {number | null} steps null: all
 * @returns {string[]}
 */
export function kindsAt(nodes, steps) {
  if (steps === null) return nodes.map(kindOf);
  const isKept = nodes.map(({ depth, ends }) => depth === steps - 1 || (ends >= 0 && depth < steps));
  for (let i = nodes.length - 1; i >= 0; --i) if (isKept[i] && nodes[i].parent >= 0) isKept[nodes[i].parent] = true;
  return nodes.map(({ depth }, i) => (depth >= steps ? 'later' : isKept[i] ? 'kept' : 'dropped'));
}

/** Formats a logarithm. @param {number} value */
export const formatLog = (value) => value.toFixed(2).replace('-', '−');

/**
 * Divides the tree into paths, one for each row. A path continues with the child on the best hypothesis, otherwise with the
 * child whose branch is the longest.
 * @param {TreeNode[]} nodes
 * @returns {number[][]} the path of a path's parent comes before it
 */
function chainsOf(nodes) {
  // The depth that the branch of each piece reaches.
  const reach = nodes.map(({ depth }) => depth);
  for (let i = nodes.length - 1; i >= 0; --i) {
    const { parent } = nodes[i];
    if (parent >= 0) reach[parent] = Math.max(reach[parent], reach[i]);
  }
  const byPriority = (/** @type {number} */ a, /** @type {number} */ b) =>
    compare(nodes[a].through, nodes[b].through) || reach[b] - reach[a] || nodes[b].logProb - nodes[a].logProb;
  // The first child continues the path of its parent. The others begin paths.
  /** @type {number[][]} */
  const children = nodes.map(() => []);
  /** @type {number[]} */
  const first = [];
  nodes.forEach(({ parent }, i) => (children[parent] ?? first).push(i));
  for (const siblings of children) siblings.sort(byPriority);
  children.forEach((siblings, i) => (nodes[i].next = siblings[0] ?? -1));
  const heads = [...first.sort(byPriority), ...children.flatMap((siblings) => siblings.slice(1))];
  const chains = heads.map((head) => {
    const chain = [];
    for (let at = head; at >= 0; at = nodes[at].next) chain.push(at);
    return chain;
  });
  const key = (/** @type {number[]} */ [head]) => nodes[head];
  return chains.sort(
    (a, b) => compare(key(a).through, key(b).through) || key(a).depth - key(b).depth || byPriority(a[0], b[0]),
  );
}

/** Compares two numbers, which may be infinite. @param {number} a @param {number} b */
const compare = (a, b) => (a === b ? 0 : a - b);

/**
 * Puts each path into the first row below its parent's row that is free over its length.
 * @param {number[][]} chains
 * @param {TreeNode[]} nodes
 * @returns {[row: number, chain: number[]][]}
 */
function placed(chains, nodes) {
  /** @type {boolean[][]} */
  const taken = [];
  /** @type {Map<number, number>} */
  const rows = new Map();
  return chains.map((chain) => {
    const { parent, depth } = nodes[chain[0]];
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

/** A branch from a piece, or from the start, to the next. @param {TreeNode} node @param {TreeNode | undefined} parent @returns {string} an SVG path */
export function branchOf(node, parent) {
  const from = parent ?? { x: 0, width: kStart, column: kStart, row: 0 };
  const [y1, y2] = [from, node].map(({ row }) => (row + 0.5) * kRowHeight);
  const [x1, x2] = [from.x + from.width, node.x];
  const bend = (from.column + x2) / 2;
  return `M${x1} ${y1}H${from.column}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`;
}

// <qkv-tree>: the record of a beam search, step by step, with the paths to its final translations and the dropped paths.

import { select } from 'd3-selection';
import { define } from './define.js';
import { element } from './element.js';
import { formatWeight } from './trace.js';
import { branchOf, formatLog, kRowHeight, kindsAt, treeLayoutOf } from './tree-layout.js';
import { View } from './view.js';

/** @typedef {import('./tree-layout.js').Search} Search */
/** @typedef {import('./tree-layout.js').TreeLayout} TreeLayout */
/** @typedef {import('./tree-layout.js').TreeNode} TreeNode */

/**
 * A focusable drawing. Left and right move along a path, up and down move among the pieces of one step, Enter chooses.
 * Dispatches `qkv-choose` (detail: the ids of the pieces from the start to the chosen one) and `qkv-point` (detail: the
 * description of the piece that is pointed at; '' when pointing ends).
 */
export class TreeElement extends View {
  /** @type {Search | null} */
  #search = null;
  /** @type {TreeLayout | null} */
  #layout = null;
  /** @type {number | null} */
  #steps = null;
  #pointed = -1;
  #cursor = 0;

  /** @override */
  connectedCallback() {
    if (!this.firstChild) this.#build();
    super.connectedCallback();
  }

  /** @override @protected */
  get scroller() {
    return /** @type {HTMLElement} */ (this.firstElementChild);
  }

  /** The record to show; null shows none. @returns {Search | null} */
  get search() {
    return this.#search;
  }
  set search(search) {
    const ids = this.#search?.tree?.ids ?? [];
    const path = this.#path(this.#cursor).map((node) => ids[node]);
    this.#search = search;
    this.#layout = null;
    this.#point(-1);
    this.#cursor = followed(search, path);
    if (this.#cursor === 0) this.firstElementChild?.scrollTo(0, 0); // null before the element is on a page
    this.schedule();
  }

  /** How many steps of the search are drawn; null: all. @returns {number | null} */
  get steps() {
    return this.#steps;
  }
  set steps(steps) {
    this.#steps = steps;
    this.schedule();
  }

  #build() {
    this.append(element('div.scroll', element('svg', element('g.branches'), element('g.nodes'))));
    this.tabIndex = 0;
    this.setAttribute('role', 'application');
    this.setAttribute('aria-roledescription', 'search tree');
    const svg = /** @type {SVGSVGElement} */ (this.querySelector('svg'));
    svg.addEventListener('pointermove', (event) => this.#point(this.#nodeAt(event)));
    svg.addEventListener('pointerleave', () => this.#point(-1));
    svg.addEventListener('click', (event) => this.#choose(this.#nodeAt(event)));
    this.addEventListener('keydown', (event) => this.#key(event));
    this.addEventListener('focus', () => this.matches(':focus-visible') && this.#point(this.#cursor));
    this.addEventListener('blur', () => this.#point(-1));
  }

  /** @override @protected */
  draw() {
    const search = this.#search;
    const layout = (this.#layout = search && treeLayoutOf(search, this.measurer()));
    const { nodes, width, height, font } = layout ?? { nodes: [], width: 0, height: 0, font: 0 };
    const kept = nodes.filter(({ ends }) => ends >= 0).length;
    this.setAttribute(
      'aria-label',
      search
        ? `Search tree: ${nodes.length} pieces, ${kept} final translations. Arrow keys move, Enter translates from there.`
        : 'No search to show yet',
    );
    // The branches, then the pieces.
    const kinds = kindsAt(nodes, this.#steps);
    const kindAt = (/** @type {TreeNode} */ _, /** @type {number} */ i) => kinds[i];
    const svg = select(this).select('svg').attr('width', width).attr('height', height);
    svg
      .select('.branches')
      .selectAll('path')
      .data(nodes)
      .join('path')
      .attr('class', kindAt)
      .attr('d', (node) => branchOf(node, nodes[node.parent]));
    svg
      .select('.nodes')
      .selectAll('text')
      .data(nodes)
      .join('text')
      .attr('class', kindAt)
      .classed('special', ({ special, ends }) => special && ends < 0)
      .attr('font-size', font)
      .attr('text-anchor', 'middle')
      .attr('x', ({ x, width: room }) => x + room / 2)
      .attr('y', ({ row }) => (row + 0.5) * kRowHeight + font * 0.35)
      .text(({ text }) => text);
    // Highlight the path to the cursor, and scroll to the newest piece.
    if (this.matches(':focus-visible')) this.#point(this.#cursor);
    this.drawHighlight();
    const newest =
      this.#steps === null ? [] : nodes.filter(({ depth }) => depth === /** @type {number} */ (this.#steps) - 1);
    if (newest.length > 0) this.#reveal(newest.reduce((best, node) => (node.through < best.through ? node : best)));
  }

  /** Highlights the path to the pointed piece. @override @protected */
  drawHighlight() {
    const layout = this.#layout;
    if (!layout) return;
    const path = new Set(this.#path(this.#pointed));
    for (const group of ['.branches path', '.nodes text']) {
      select(this)
        .selectAll(group)
        .classed('lit', (_, i) => path.has(i))
        .classed('faint', (_, i) => path.size > 0 && !path.has(i));
    }
    const node = layout.nodes[this.#pointed];
    if (node && !this.matches(':hover')) this.#reveal(node);
  }

  /** The path from the start to a piece. @param {number} node @returns {number[]} */
  #path(node) {
    const path = [];
    for (let at = node; this.#layout?.nodes[at]; at = this.#layout.nodes[at].parent) path.unshift(at);
    return path;
  }

  /** @param {number} node */
  #point(node) {
    if (node === this.#pointed) return;
    this.#pointed = node;
    this.drawHighlight();
    const detail = this.#layout && node >= 0 ? this.#describe(node) : '';
    this.dispatchEvent(new CustomEvent('qkv-point', { detail, bubbles: true }));
  }

  /** @param {number} node @returns {string} */
  #describe(node) {
    const { nodes } = /** @type {TreeLayout} */ (this.#layout);
    const { text, ends, probability, logProb, through } = nodes[node];
    const { hypotheses } = /** @type {Search} */ (this.#search);
    if (ends >= 0) {
      const { text: all, score, cut } = hypotheses[ends];
      const cutting = cut ? ', cut before its end' : '';
      return `Translation ${ends + 1} of ${hypotheses.length}: “${all}”, score ${formatLog(score)}, log-probability ${formatLog(logProb)}${cutting}`;
    }
    const later = through === Infinity ? ', dropped later' : '';
    return `“${text}”: probability ${formatWeight(probability)} after the pieces before it; so far ${formatLog(logProb)}${later}`;
  }

  /** @param {number} node */
  #choose(node) {
    const ids = this.#search?.tree?.ids;
    if (!ids || node < 0) return;
    const detail = this.#path(node).map((at) => ids[at]);
    this.dispatchEvent(new CustomEvent('qkv-choose', { detail, bubbles: true }));
  }

  /** @param {TreeNode} node */
  #reveal({ x, width, row }) {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.scroller;
    const [left, top] = [x + width / 2 - clientWidth / 2, (row + 0.5) * kRowHeight - clientHeight / 2];
    const isHidden =
      x < scrollLeft ||
      x + width > scrollLeft + clientWidth ||
      row * kRowHeight < scrollTop ||
      (row + 1) * kRowHeight > scrollTop + clientHeight;
    if (isHidden) this.scroller.scrollTo(left, top);
  }

  /** @param {MouseEvent} event @returns {number} -1 for none */
  #nodeAt(event) {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const row = Math.floor(y / kRowHeight);
    return (this.#layout?.nodes ?? []).findIndex(
      (node) => node.row === row && x >= node.x && x < node.x + node.width && node.depth < (this.#steps ?? Infinity),
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const nodes = this.#layout?.nodes ?? [];
    const at = nodes[this.#cursor] ? this.#cursor : 0;
    if (nodes.length === 0) return;
    if (event.key === 'Enter' || event.key === ' ') this.#choose(at);
    else if (event.key === 'Escape') this.#point(-1);
    else {
      const next = steppedTo(nodes, at, event.key);
      if (next === null) return;
      this.#cursor = nodes[next] ? next : at;
      this.#point(this.#cursor);
    }
    event.preventDefault();
  }
}

/** Follows a path in a tree as far as possible. @param {Search | null} search @param {number[]} path ids @returns {number} the last piece */
function followed(search, path) {
  const { ids = [], parents = [] } = search?.tree ?? {};
  let at = -1;
  for (const id of path) {
    const next = Array.from(ids).findIndex((other, i) => other === id && parents[i] === at);
    if (next < 0) break;
    at = next;
  }
  return Math.max(at, 0);
}

/**
 * @param {TreeNode[]} nodes
 * @param {number} at
 * @param {string} key
 * @returns {number | null} null if the key does not move; -1: there is no piece
 */
function steppedTo(nodes, at, key) {
  if (key === 'ArrowLeft') return nodes[at].parent;
  if (key === 'ArrowRight') return nodes[at].next;
  if (key === 'Home') return nodes.findIndex(({ row, depth }) => row === 0 && depth === 0);
  if (key === 'End') return nodes.findIndex(({ ends }) => ends === 0);
  const way = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (!way) return null;
  const { depth, row } = nodes[at];
  const inStep = nodes
    .map((node, i) => ({ i, away: way * (node.row - row), sameStep: node.depth === depth }))
    .filter(({ away, sameStep }) => sameStep && away > 0)
    .sort((a, b) => a.away - b.away);
  return inStep[0]?.i ?? -1;
}

define('qkv-tree', TreeElement);

// <qkv-lines>: one head's attention as curves between two rows of pieces, keys above and queries below.

import { select } from 'd3-selection';
import { define } from './define.js';
import { Drawing } from './drawing.js';
import { element } from './element.js';
import { curveX, curvesOf, kLabelHeight, kNumberHeight, linesLayoutOf, middle, pathOf } from './lines-layout.js';
import { formatWeight, isMasked, shade, weightAt } from './trace.js';

/** @typedef {import('./lines-layout.js').Curve} Curve */
/** @typedef {import('./lines-layout.js').LinesLayout} LinesLayout */
/** @typedef {import('./selection.js').Place} Place */
/** @typedef {import('./trace.js').Label} Label */
/** @typedef {import('./trace.js').Slice} Slice */

const kReach = 6; // the largest distance in pixels at which a curve is pointed at
const kNumberFrom = 0.05;

/**
 * A focusable drawing. Left and right move along a row of pieces, up and down move to the other side's piece with the
 * largest weight, Enter pins, Escape unpins. The highlighted place comes from the shared selection.
 */
export class LinesElement extends Drawing {
  /** @type {Curve[]} */
  #curves = [];
  /** @type {LinesLayout | null} */
  #layout = null;

  /** @override */
  connectedCallback() {
    if (!this.firstChild) this.#build();
    super.connectedCallback();
  }

  /** @override @protected */
  get scroller() {
    return /** @type {HTMLElement} */ (this.firstElementChild);
  }

  #build() {
    const layers = ['curves', 'keys', 'queries', 'numbers'].map((name) => element(`g.${name}`));
    this.append(element('div.scroll', element('svg', ...layers)));
    this.listen(/** @type {SVGSVGElement} */ (this.querySelector('svg')), 'attention lines');
  }

  /** @override @protected */
  draw() {
    // Without a trace there is only a label.
    const slice = this.slice;
    const scroll = this.scroller;
    this.#curves = slice ? curvesOf(slice) : [];
    if (!slice) {
      this.#layout = null;
      this.setAttribute('aria-label', 'No attention to show yet');
      select(this).selectAll('g').selectAll('*').remove();
      return;
    }
    // The places of the pieces, and the text for screen readers.
    const layout = linesLayoutOf(slice, scroll.clientWidth, scroll.clientHeight, this.measurer());
    this.#layout = layout;
    this.setAttribute(
      'aria-label',
      `Attention as lines: ${slice.keys.length} ${slice.keySide ? `${slice.keySide} pieces` : 'units'} above, ${slice.queries.length} ${slice.querySide} pieces below. Arrow keys move, Enter pins.`,
    );
    // A curve for each weight, whose opacity is the weight; then the pieces above and below.
    const shown = shade(slice, this.scaling);
    select(this).select('svg').attr('width', layout.width).attr('height', layout.height);
    select(this)
      .select('.curves')
      .selectAll('path')
      .data(this.#curves)
      .join('path')
      .attr('d', (curve) => pathOf(layout, curve))
      .attr('stroke-opacity', ({ query, key }) => shown(query, key).toFixed(3));
    this.#drawLabels('keys', slice.keys, layout.from - 8);
    this.#drawLabels('queries', slice.queries, layout.to + kLabelHeight - 8);
    this.drawHighlight();
  }

  /** @param {'keys' | 'queries'} name @param {Label[]} labels @param {number} y */
  #drawLabels(name, labels, y) {
    const layout = /** @type {LinesLayout} */ (this.#layout);
    select(this)
      .select(`.${name}`)
      .selectAll('text')
      .data(labels)
      .join('text')
      .attr('x', (_, i) => middle(layout[name][i]))
      .attr('y', y)
      .attr('font-size', layout.font)
      .attr('text-anchor', 'middle')
      .classed('special', (label) => label.special)
      .text((label) => label.text);
  }

  /**
   * Highlights a place: all other curves fade, and its weights are shown at the other side. @override
   * @protected
   */
  drawHighlight() {
    const [slice, layout] = [this.slice, this.#layout];
    if (!slice || !layout) return;
    const place = this.highlighted;
    const { query = null, key = null } = place ?? {};
    const belongs = (/** @type {Place} */ at) =>
      (query === null || at.query === query) && (key === null || at.key === key);
    select(this)
      .selectAll('path')
      .classed('faint', (curve) => !!place && !belongs(/** @type {Curve} */ (curve)));
    const own = place ? this.#curves.filter(belongs) : [];
    const [keys, queries] = [new Set(own.map((curve) => curve.key)), new Set(own.map((curve) => curve.query))];
    this.#highlightLabels('keys', key, place && keys);
    this.#highlightLabels('queries', query, place && queries);
    this.#drawNumbers(slice, layout, place);
    this.toggleAttribute('data-pinned', !!this.selection?.pinned);
    if (place && !this.matches(':hover')) this.#reveal(place, layout);
  }

  /** @param {'keys' | 'queries'} name @param {number | null} pointed @param {Set<number> | null} belongs */
  #highlightLabels(name, pointed, belongs) {
    select(this)
      .selectAll(`.${name} text`)
      .classed('pointed', (_, i) => i === pointed)
      .classed('faint', (_, i) => !!belongs && i !== pointed && !belongs.has(i));
  }

  /** @param {Slice} slice @param {LinesLayout} layout @param {Place | null} place */
  #drawNumbers(slice, layout, place) {
    const { query = null, key = null } = place ?? {};
    const up = query !== null; // the numbers are at the keys; for a key alone they are at the queries
    const cells = !place
      ? []
      : (up ? slice.keys : slice.queries)
          .map((_, i) => (up ? { query, key: i } : { query: i, key: /** @type {number} */ (key) }))
          .filter((cell) => !isMasked(slice, cell.query, cell.key) && (!up || key === null || cell.key === key))
          .map((cell) => ({ ...cell, weight: weightAt(slice, cell.query, cell.key) }))
          .filter(({ weight }) => weight >= kNumberFrom || (query !== null && key !== null));
    select(this)
      .select('.numbers')
      .selectAll('text')
      .data(cells)
      .join('text')
      .attr('x', (cell) => middle(up ? layout.keys[cell.key] : layout.queries[cell.query]))
      .attr('y', up ? kNumberHeight - 4 : layout.height - 5)
      .attr('text-anchor', 'middle')
      .text(({ weight }) => formatWeight(weight));
  }

  /** @param {Place} place @param {LinesLayout} layout */
  #reveal({ query, key }, { keys, queries }) {
    const scroll = this.scroller;
    const { x, width } = query === null ? keys[/** @type {number} */ (key)] : queries[query];
    const hidden = x < scroll.scrollLeft || x + width > scroll.scrollLeft + scroll.clientWidth;
    if (hidden) scroll.scrollLeft = x + (width - scroll.clientWidth) / 2;
  }

  /** The piece under the pointer, otherwise the nearest curve. @override @protected @param {MouseEvent} event @returns {Place | null} */
  placeAt(event) {
    const layout = this.#layout;
    if (!layout) return null;
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (y <= layout.from || y >= layout.to) {
      const above = y <= layout.from;
      const i = (above ? layout.keys : layout.queries).findIndex((span) => x >= span.x && x < span.x + span.width);
      if (i < 0) return null;
      return above ? { query: null, key: i } : { query: i, key: null };
    }
    const near = this.#curves
      .map((curve) => ({ curve, away: Math.abs(curveX(layout, curve, y) - x) }))
      .filter(({ away }) => away <= kReach)
      .sort((a, b) => a.away - b.away)[0];
    return near ? { query: near.curve.query, key: near.curve.key } : null;
  }

  /** @override @protected @param {Slice} slice @param {Place} place @param {KeyboardEvent} event */
  placeAfter(slice, place, { key }) {
    return stepped(slice, place, key);
  }
}

/**
 * The piece that a key moves to.
 * @param {Slice} slice
 * @param {Place} place
 * @param {string} name
 * @returns {Place | null} null if the key does not move
 */
export function stepped(slice, { query, key }, name) {
  const below = query !== null;
  const last = (below ? slice.queries : slice.keys).length - 1;
  const at = /** @type {number} */ (below ? query : key);
  const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  if (name in moves) {
    const i = Math.min(last, Math.max(0, moves[/** @type {keyof typeof moves} */ (name)]));
    return below ? { query: i, key: null } : { query: null, key: i };
  }
  if (name === 'ArrowUp') return below ? { query: null, key: key ?? strongestKey(slice, query) } : { query, key };
  if (name === 'ArrowDown') return below ? { query, key: null } : { query: strongestQuery(slice, at), key: null };
  return null;
}

/** @param {Slice} slice @param {number} query */
function strongestKey(slice, query) {
  const row = slice.keys.map((_, key) => (isMasked(slice, query, key) ? -1 : weightAt(slice, query, key)));
  return row.indexOf(Math.max(...row));
}

/** @param {Slice} slice @param {number} key */
function strongestQuery(slice, key) {
  const column = slice.queries.map((_, query) => (isMasked(slice, query, key) ? -1 : weightAt(slice, query, key)));
  return column.indexOf(Math.max(...column));
}

define('qkv-lines', LinesElement);

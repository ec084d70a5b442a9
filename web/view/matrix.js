// <qkv-matrix>: one head's attention as a matrix. A row for each query, a column for each key. Small matrices are SVG, large
// ones a canvas.

import { select } from 'd3-selection';
import { scaleOf } from './colour.js';
import { define } from './define.js';
import { Drawing } from './drawing.js';
import { element } from './element.js';
import { layoutOf, shorten } from './layout.js';
import { cellNumber, numbered, outlines, unwritten, fadedAreas, windows } from './overlay.js';
import { isMasked, shade, weightAt } from './trace.js';
import { inside, moved } from './arrow-keys.js';

/** @typedef {import('./layout.js').Layout} Layout */
/** @typedef {import('./selection.js').Place} Place */
/** @typedef {import('./trace.js').Slice} Slice */

const kSvgSide = 40;

/**
 * A focusable matrix. Arrow keys move the highlighted place, Enter pins it, Escape unpins it. The place is that of the shared
 * selection.
 */
export class MatrixElement extends Drawing {
  /** @type {Layout | null} */
  #layout = null;
  /** @type {Slice[]} */
  #beside = [];

  /** Matrices beside this one. All get cells of the same size, at the same places. @returns {Slice[]} */
  get beside() {
    return this.#beside;
  }
  set beside(beside) {
    this.#beside = beside;
    this.schedule();
  }

  /** @override */
  connectedCallback() {
    if (!this.firstChild) this.#build();
    super.connectedCallback();
  }

  /** @override @protected */
  get scroller() {
    return this.#part('scroll');
  }

  #build() {
    const cells = element('div.cells', element('canvas'), element('svg.base'), element('svg.overlay'));
    const columns = element('div.columns', element('svg'));
    const rows = element('div.rows', element('svg'));
    this.append(element('div.scroll', element('div.sheet', element('div.corner'), columns, rows, cells)));
    this.listen(this.#part('sheet'), 'attention matrix');
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`.${name}`));
  }

  /** @override @protected */
  draw() {
    const slice = this.slice;
    const sheet = this.#part('sheet');
    sheet.hidden = !slice;
    if (!slice) {
      this.#layout = null;
      this.setAttribute('aria-label', 'No attention to show yet');
      return;
    }
    // The layout, the text for screen readers, and the labels.
    const scroll = this.#part('scroll');
    const layout = layoutOf(slice, scroll.clientWidth, scroll.clientHeight, this.measurer(), this.#beside);
    this.#layout = layout;
    this.setAttribute(
      'aria-label',
      `${slice.title ?? 'Attention matrix'}: ${slice.queries.length} rows of ${slice.querySide} pieces by ${slice.keys.length} columns of ${slice.keySide ? `${slice.keySide} pieces` : 'units'}. Arrow keys move, Enter pins.`,
    );
    sheet.style.gridTemplate = `${layout.top}px ${layout.height}px / ${layout.left}px ${layout.width + layout.right}px`;
    this.#drawLabels(slice, layout);
    // The cells.
    const small = Math.max(slice.queries.length, slice.keys.length) <= kSvgSide;
    const canvas = /** @type {HTMLCanvasElement} */ (this.querySelector('canvas'));
    canvas.hidden = small;
    if (small) this.#drawSvg(slice, layout);
    else this.#drawCanvas(canvas, slice, layout);
    const cells = this.#part('cells');
    cells.style.width = `${layout.width}px`;
    cells.classList.toggle('masked', slice.causal);
    this.drawHighlight();
  }

  /** @param {Slice} slice @param {Layout} layout */
  #drawLabels(slice, { cell, font, upright, left, top, right, width, height }) {
    // Labels of columns are slanted, or turned by 90 degrees.
    const columns = select(this)
      .select('.columns svg')
      .attr('width', width + right)
      .attr('height', top);
    columns
      .selectAll('text')
      .data(slice.keys)
      .join('text')
      .attr('font-size', font)
      .classed('special', (key) => key.special)
      .attr('transform', (_, k) =>
        upright
          ? `translate(${(k + 0.5) * cell + font * 0.35} ${top - 5}) rotate(-90)`
          : `translate(${(k + 0.5) * cell + 2} ${top - 6}) rotate(-45)`,
      )
      .text((key) => shorten(key.text));
    const rows = select(this).select('.rows svg').attr('width', left).attr('height', height);
    rows
      .selectAll('text')
      .data(slice.queries)
      .join('text')
      .attr('font-size', font)
      .classed('special', (query) => query.special)
      .attr('text-anchor', 'end')
      .attr('x', left - 7)
      .attr('y', (_, q) => (q + 0.5) * cell + font * 0.35)
      .text((query) => shorten(query.text));
  }

  /** @param {Slice} slice @param {Layout} layout */
  #drawSvg(slice, { cell, width, height }) {
    const scale = scaleOf(slice);
    const shown = shade(slice, this.scaling);
    const places = slice.queries.flatMap((_, query) =>
      slice.keys.map((_, key) => ({ query, key })).filter(({ key }) => !isMasked(slice, query, key)),
    );
    select(this)
      .select('.base')
      .attr('width', width)
      .attr('height', height)
      .selectAll('rect')
      .data(places, (datum) => `${/** @type {any} */ (datum).query},${/** @type {any} */ (datum).key}`)
      .join('rect')
      .attr('x', ({ key }) => key * cell)
      .attr('y', ({ query }) => query * cell)
      .attr('width', cell)
      .attr('height', cell)
      .attr('fill', ({ query, key }) => scale.css(shown(query, key)));
  }

  /**
   * Draws one canvas pixel for each cell; CSS enlarges them. Masked cells stay transparent and show the hatched background.
   * @param {HTMLCanvasElement} canvas
   * @param {Slice} slice
   * @param {Layout} layout
   */
  #drawCanvas(canvas, slice, { width, height }) {
    const scale = scaleOf(slice);
    const shown = shade(slice, this.scaling);
    const columns = slice.keys.length;
    canvas.width = columns;
    canvas.height = slice.queries.length;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const image = new ImageData(columns, slice.queries.length);
    for (let i = 0; i < slice.weights.length; ++i) {
      const [query, key] = [Math.floor(i / columns), i % columns];
      if (!isMasked(slice, query, key)) image.data.set([...scale.rgb(shown(query, key)), 255], 4 * i);
    }
    /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).putImageData(image, 0, 0);
    select(this).select('.base').attr('width', width).attr('height', height).selectAll('rect').remove();
  }

  /** Highlights a place: outlines its row and column, fades the rest, and shows its numbers. @override @protected */
  drawHighlight() {
    const [slice, layout] = [this.slice, this.#layout];
    if (!slice || !layout) return;
    const place = this.highlighted;
    const { cell, width, height } = layout;
    const query = place?.query ?? null;
    const key = place?.key ?? null;
    // Boxes over the cells: windows, the faded part, outlines, rows that are not written yet.
    const { spans, centres } = windows(slice, layout);
    this.#drawBoxes('span', spans);
    this.#drawBoxes('centre', centres);
    this.#drawBoxes('faded', fadedAreas(query, key, layout));
    this.#drawBoxes('outline', outlines(query, key, layout));
    this.#drawBoxes('unwritten', unwritten(slice, layout));
    // The numbers of the highlighted row or column.
    const scale = scaleOf(slice);
    const shown = shade(slice, this.scaling);
    select(this)
      .select('.overlay')
      .attr('width', width)
      .attr('height', height)
      .selectAll('text')
      .data(numbered(slice, query, key, layout))
      .join('text')
      .attr('x', (d) => (d.key + 0.5) * cell)
      .attr('y', (d) => (d.query + 0.5) * cell + 4)
      .attr('text-anchor', 'middle')
      .attr('font-size', cell >= 28 ? 11 : 10)
      .attr('fill', (d) => scale.ink(shown(d.query, d.key)))
      .text((d) => cellNumber(slice, d, layout, d.query === query && d.key === key));
    this.toggleAttribute('data-pinned', !!this.selection?.pinned);
    this.#highlightLabels(slice, query, key);
    if (place && !this.matches(':hover')) this.#reveal(place, layout);
  }

  /** @param {string} name @param {import('./overlay.js').Box[]} boxes */
  #drawBoxes(name, boxes) {
    select(this)
      .select('.overlay')
      .selectAll(`rect.${name}`)
      .data(boxes)
      .join((enter) => enter.insert('rect', 'text').attr('class', name))
      .attr('x', (d) => d.x)
      .attr('y', (d) => d.y)
      .attr('width', (d) => d.width)
      .attr('height', (d) => d.height);
  }

  /** @param {Slice} slice @param {number | null} query @param {number | null} key */
  #highlightLabels(slice, query, key) {
    const lit = query !== null || key !== null;
    select(this)
      .selectAll('.columns text')
      .classed('pointed', (_, k) => k === key)
      .classed('faint', (_, k) => lit && k !== key && (query === null || !strong(slice, query, k)));
    select(this)
      .selectAll('.rows text')
      .classed('later', (_, q) => q >= (slice.written ?? Infinity))
      .classed('pointed', (_, q) => q === query)
      .classed('faint', (_, q) => lit && q !== query && (query !== null || key === null || !strong(slice, q, key)));
  }

  /** @param {Place} place @param {Layout} layout */
  #reveal({ query, key }, { cell, left, top }) {
    const scroll = this.#part('scroll');
    if (query !== null) {
      const y = query * cell;
      if (y < scroll.scrollTop) scroll.scrollTop = y;
      else if (y + cell + top > scroll.scrollTop + scroll.clientHeight)
        scroll.scrollTop = y + cell + top - scroll.clientHeight;
    }
    if (key !== null) {
      const x = key * cell;
      if (x < scroll.scrollLeft) scroll.scrollLeft = x;
      else if (x + cell + left > scroll.scrollLeft + scroll.clientWidth)
        scroll.scrollLeft = x + cell + left - scroll.clientWidth;
    }
  }

  /** @override @protected @param {MouseEvent} event @returns {Place | null} */
  placeAt(event) {
    const [slice, layout] = [this.slice, this.#layout];
    if (!slice || !layout) return null;
    const box = this.#part('cells').getBoundingClientRect();
    const target = /** @type {Element} */ (event.target);
    const onColumns = !!target.closest('.columns');
    const onRows = !!target.closest('.rows');
    const slant =
      onColumns && !layout.upright ? event.clientY - this.#part('columns').getBoundingClientRect().bottom : 0;
    const key = Math.floor((event.clientX - box.left + slant) / layout.cell);
    const query = Math.floor((event.clientY - box.top) / layout.cell);
    const place = { query: onColumns ? null : query, key: onRows ? null : key };
    return (onColumns && onRows) || !inside(slice, place) ? null : place;
  }

  /** @override @protected @param {Slice} slice @param {Place} place @param {KeyboardEvent} event */
  placeAfter(slice, place, event) {
    return moved(slice, place, event);
  }
}

/** @param {Slice} slice @param {number} query @param {number} key */
const strong = (slice, query, key) => !isMasked(slice, query, key) && Math.abs(weightAt(slice, query, key)) >= 0.05;

define('qkv-matrix', MatrixElement);

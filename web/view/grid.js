// <qkv-grid>: a small matrix with its numbers, as a table. A pointer or the keys select a cell. Numbers are edited by typing
// or by dragging.

import { onThemeChange, signedScale, weightScale } from './colour.js';
import { BaseElement, define } from './define.js';
import { formatNumber, largestOf, readNumber } from './numbers.js';

/**
 * @typedef {object} Grid
 * @property {string} name its name for screen readers: 'scores'
 * @property {[string, string]} axes the meaning of rows and columns; matrices that share an axis are highlighted
 *   together
 * @property {string[]} rows labels
 * @property {string[]} columns
 * @property {ArrayLike<number>} data row-major; -Infinity is a masked cell
 * @property {'signed' | 'weight' | 'flag'} kind the kind of its numbers, which determines the colours
 * @property {string} [summary] a sentence
 * @property {boolean} [editable]
 * @property {(row: number, column: number) => boolean} [isMasked] whether a cell is 0 because of a mask
 * @property {(row: number, column: number) => boolean} [isAside] whether a cell is not part of the current view
 */

/** A highlighted place on some axes: {query: 1, key: 2}. @typedef {Record<string, number>} Lit */

/** A grid with more columns has no space for numbers. */
export const kNumberedColumns = 12;
/** The longest label that fits into a column. If one is longer, all labels are turned by 90 degrees. */
const kLabel = 5;
const kStep = 0.1;
const kDragPixels = 6; // to a step
const kToEnd = 99;

/**
 * Dispatches `grid-point` ({row, column} or null), `grid-pin` ({row, column}), `grid-unpin`, `grid-edit` ({row, column,
 * value}); all bubble.
 */
export class GridElement extends BaseElement {
  /** @type {Grid | null} */
  #grid = null;
  /** @type {Lit | null} */
  #lit = null;
  #isPinned = false;
  /** The cell that Tab focuses. */
  #cursor = { row: 0, column: 0 };
  #stop = () => {};
  /** @type {HTMLTableCellElement[][]} */
  #cells = [];
  /** @type {HTMLElement[]} */
  #rowHeads = [];
  /** @type {HTMLElement[]} */
  #columnHeads = [];
  /** The drawn state of each cell. Only changes are drawn. @type {string[][]} */
  #drawn = [];
  /** The highlighted elements, with the class of each. @type {Map<HTMLElement, string>} */
  #highlights = new Map();
  #isTyping = false;
  /** @type {{cell: HTMLElement, row: number, column: number, x: number, from: number, moved: boolean} | null} */
  #drag = null;

  connectedCallback() {
    this.#stop = onThemeChange(() => {
      this.#drawn = this.#cells.map(() => []);
      this.#draw();
    });
    for (const [type, listener] of this.#listeners) this.addEventListener(type, listener);
  }

  disconnectedCallback() {
    this.#stop();
    for (const [type, listener] of this.#listeners) this.removeEventListener(type, listener);
  }

  /** @returns {Grid | null} */
  get grid() {
    return this.#grid;
  }
  set grid(grid) {
    this.#grid = grid;
    this.#draw();
  }

  /**
   * Highlights the row, the column or the cell of a place on this matrix's axes.
   * @param {Lit | null} lit
   * @param {boolean} isPinned
   */
  light(lit, isPinned) {
    this.#lit = lit;
    this.#isPinned = isPinned;
    this.#drawHighlight();
  }

  #draw() {
    const grid = this.#grid;
    if (!grid) {
      [this.#cells, this.#rowHeads, this.#columnHeads] = [[], [], []];
      return this.replaceChildren();
    }
    const [rows, columns] = [grid.rows.length, grid.columns.length];
    if (this.#cells.length !== rows || this.#columnHeads.length !== columns) this.#fit(rows, columns);
    this.#name(grid);
    const shade = shadeOf(grid);
    for (let r = 0; r < rows; ++r) {
      for (let c = 0; c < columns; ++c) this.#drawCell(grid, r, c, shade);
    }
    this.#drawHighlight();
  }

  /** @param {Grid} grid */
  #name(grid) {
    const table = /** @type {HTMLElement} */ (this.firstChild);
    table.setAttribute('aria-label', grid.name);
    table.classList.toggle('small', grid.columns.length > kNumberedColumns);
    table.classList.toggle('editable', !!grid.editable);
    table.classList.toggle(
      'upright',
      grid.columns.some((label) => label.length > kLabel),
    );
    setText(/** @type {HTMLElement} */ (this.querySelector('caption')), grid.summary ?? '');
    grid.rows.forEach((label, r) => setText(this.#rowHeads[r], label));
    grid.columns.forEach((label, c) => setText(this.#columnHeads[c], label));
  }

  /** Adds or removes rows and columns. Cells that stay are the same elements. @param {number} rows @param {number} columns */
  #fit(rows, columns) {
    // The labels of columns and rows.
    const hadFocus = this.contains(document.activeElement);
    if (!this.firstChild) this.#build();
    const [head, body] = [/** @type {Element} */ (this.querySelector('thead tr')), this.querySelector('tbody')];
    fitTo(this.#columnHeads, columns, () => heading('col'), head);
    const heads = this.#rowHeads.length;
    fitTo(this.#rowHeads, rows, () => heading('row'), null);
    for (const one of this.#rowHeads.slice(heads)) {
      const line = document.createElement('tr');
      line.append(one);
      body?.append(line);
    }
    while (body && body.children.length > rows) body.lastElementChild?.remove();
    // The cells. If the focused one is gone, the last one near it gets the focus.
    this.#cells = this.#rowHeads.map((one, r) => {
      const cells = this.#cells[r] ?? [];
      fitTo(cells, columns, bodyCell, one.parentElement);
      return cells;
    });
    this.#drawn = this.#cells.map((_, r) => (this.#drawn[r] ?? []).slice(0, columns));
    this.#moveTo(this.#cursor, false);
    if (hadFocus && !this.contains(document.activeElement)) this.#cells[this.#cursor.row][this.#cursor.column].focus();
  }

  #build() {
    const make = (/** @type {string} */ tag) => document.createElement(tag);
    const [table, caption, thead, head] = ['table', 'caption', 'thead', 'tr'].map(make);
    table.setAttribute('role', 'grid');
    caption.className = 'qkv-hidden';
    head.append(make('td'));
    thead.append(head);
    table.append(caption, thead, make('tbody'));
    this.replaceChildren(table);
  }

  /** @param {Grid} grid @param {number} r @param {number} c @param {Shade} shade */
  #drawCell(grid, r, c, shade) {
    const cell = this.#cells[r][c];
    if (this.#isTyping && cell.querySelector('input')) return;
    const value = grid.data[r * grid.columns.length + c];
    const isMasked = !!grid.isMasked?.(r, c);
    const isHidden = value === -Infinity || isMasked;
    const isAside = !!grid.isAside?.(r, c);
    const text = isMasked ? '0' : formatNumber(value, grid.kind);
    const ground = isHidden ? '' : shade.css(value);
    const drawn = `${text} ${ground} ${isAside} ${isHidden}`;
    if (this.#drawn[r][c] === drawn) return;
    this.#drawn[r][c] = drawn;
    setText(cell, text);
    cell.classList.toggle('masked', isHidden);
    cell.classList.toggle('aside', isAside);
    cell.style.backgroundColor = isAside ? '' : ground;
    cell.style.color = isHidden || isAside ? '' : shade.ink(value);
  }

  #drawHighlight() {
    const grid = this.#grid;
    if (!grid) return;
    const row = this.#lit?.[grid.axes[0]];
    const column = this.#lit?.[grid.axes[1]];
    const isCell = row !== undefined && column !== undefined;
    /** @type {Map<HTMLElement, string>} */
    const highlights = new Map();
    const highlight = (/** @type {HTMLElement | undefined} */ element, /** @type {string} */ how) => {
      if (element) highlights.set(element, how);
    };
    // The labels of the place, and its cell, row or column.
    if (row !== undefined) highlight(this.#rowHeads[row], 'lit');
    if (column !== undefined) highlight(this.#columnHeads[column], 'lit');
    if (isCell) highlight(this.#cells[row]?.[column], 'lit');
    else if (row !== undefined) this.#cells[row]?.forEach((cell) => highlight(cell, 'lit-row'));
    else if (column !== undefined) this.#cells.forEach((cells) => highlight(cells[column], 'lit-column'));
    // Change only the elements whose state is different.
    for (const [element, how] of this.#highlights) if (highlights.get(element) !== how) element.classList.remove(how);
    for (const [element, how] of highlights) element.classList.add(how);
    this.#highlights = highlights;
    this.classList.toggle('pinned', this.#isPinned && isCell);
  }

  /** @param {Event} event @returns {{row: number, column: number} | null} */
  #placeOf(event) {
    const cell = /** @type {Element} */ (event.target).closest('td');
    const row = this.#cells.findIndex((cells) => cells.includes(/** @type {HTMLTableCellElement} */ (cell)));
    return row < 0 ? null : { row, column: this.#cells[row].indexOf(/** @type {HTMLTableCellElement} */ (cell)) };
  }

  /** @param {string} type @param {unknown} [detail] */
  #say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  }

  #point = (/** @type {Event} */ event) => {
    if (!this.#drag?.moved) this.#say('grid-point', this.#placeOf(event));
  };

  #leave = () => {
    if (!this.#drag?.moved) this.#say('grid-point', null);
  };

  #focus = (/** @type {Event} */ event) => {
    const place = this.#placeOf(event);
    if (!place) return;
    this.#moveTo(place, false);
    if (/** @type {Element} */ (event.target).matches(':focus-visible')) this.#say('grid-point', place);
  };

  #down = (/** @type {PointerEvent} */ event) => {
    const place = this.#placeOf(event);
    if (!place || !this.#grid || event.button !== 0 || /** @type {Element} */ (event.target).closest('input')) return;
    const from = this.#grid.data[place.row * this.#grid.columns.length + place.column];
    const cell = this.#cells[place.row][place.column];
    this.#drag = { ...place, cell, x: event.clientX, from, moved: false };
  };

  #move = (/** @type {PointerEvent} */ event) => {
    const drag = this.#drag;
    if (!drag || !this.#grid?.editable || this.#grid.kind === 'flag') return;
    const steps = Math.trunc((event.clientX - drag.x) / kDragPixels);
    if (!drag.moved && steps === 0) return;
    if (!drag.moved) this.setPointerCapture(event.pointerId);
    drag.moved = true;
    this.#edit(drag, drag.from + steps * kStep);
  };

  #up = (/** @type {PointerEvent} */ event) => {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag || drag.moved) return;
    if (this.#grid?.editable && this.#grid.kind === 'flag') this.#edit(drag, drag.from ? 0 : 1);
    else if (this.#grid?.editable && event.pointerType === 'touch') this.#open(drag);
    else this.#say('grid-pin', { row: drag.row, column: drag.column });
  };

  /** @param {{row: number, column: number}} place @param {number} value */
  #edit({ row, column }, value) {
    const rounded = readNumber(value.toFixed(3));
    this.#say('grid-edit', { row, column, value: rounded });
  }

  #key = (/** @type {KeyboardEvent} */ event) => {
    const grid = this.#grid;
    const target = /** @type {Element} */ (event.target);
    if (!grid || target.localName === 'input' || event.altKey || event.metaKey) return;
    // Keys that move the cursor, or change the number by a step.
    const { row, column } = this.#cursor;
    const value = grid.data[row * grid.columns.length + column];
    const arrows = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const ends = { Home: [0, -kToEnd], End: [0, kToEnd], PageUp: [-kToEnd, 0], PageDown: [kToEnd, 0] };
    const steps = /** @type {Record<string, number[]>} */ ({ ...arrows, ...ends })[event.key];
    if (steps && event.shiftKey && grid.editable && steps[0] !== 0) this.#edit(this.#cursor, value - steps[0] * kStep);
    else if (steps) this.#moveTo({ row: row + steps[0], column: column + steps[1] }, true);
    else if (event.key === 'Escape') return this.#say('grid-unpin');
    else if (grid.editable && grid.kind === 'flag' && (event.key === ' ' || event.key === 'Enter'))
      this.#edit(this.#cursor, value ? 0 : 1);
    else if (grid.editable && (event.key === 'F2' || event.key === 'Enter')) this.#open(this.#cursor);
    else if (grid.editable && !event.ctrlKey && /^[-−.,\d]$/.test(event.key)) this.#open(this.#cursor, event.key);
    else if (event.key === 'Enter' || event.key === ' ') this.#say('grid-pin', { ...this.#cursor });
    else return;
    event.preventDefault();
  };

  /** The listeners of its events while it is on a page. */
  #listeners = /** @type {[string, (event: any) => void][]} */ ([
    ['pointerover', this.#point],
    ['pointerleave', this.#leave],
    ['pointerdown', this.#down],
    ['pointermove', this.#move],
    ['pointerup', this.#up],
    ['pointercancel', () => (this.#drag = null)],
    ['dblclick', (event) => this.#grid?.editable && this.#open(this.#placeOf(event))],
    ['keydown', this.#key],
    ['focusin', this.#focus],
    ['focusout', this.#leave],
  ]);

  /** @param {{row: number, column: number}} place @param {boolean} focus */
  #moveTo({ row, column }, focus) {
    const clip = (/** @type {number} */ i, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, i));
    const before = this.#cells[this.#cursor.row]?.[this.#cursor.column];
    if (before) before.tabIndex = -1;
    this.#cursor = { row: clip(row, this.#cells.length), column: clip(column, this.#columnHeads.length) };
    const cell = this.#cells[this.#cursor.row][this.#cursor.column];
    cell.tabIndex = 0;
    if (focus) cell.focus();
  }

  /** Opens a text field in a cell. @param {{row: number, column: number} | null} place @param {string} [first] its first character */
  #open(place, first) {
    const grid = this.#grid;
    if (!place || !grid || grid.kind === 'flag') return;
    const cell = this.#cells[place.row][place.column];
    const input = document.createElement('input');
    input.value = first ?? String(grid.data[place.row * grid.columns.length + place.column]);
    input.inputMode = 'decimal';
    input.autocomplete = 'off';
    input.setAttribute('aria-label', `${grid.name}, ${grid.rows[place.row]}, ${grid.columns[place.column]}`);
    // The field closes once: by Enter, by Escape, or when it loses the focus.
    let isDone = false;
    this.#isTyping = true;
    const close = (/** @type {boolean} */ keep, /** @type {boolean} */ refocus) => {
      if (isDone) return;
      isDone = true;
      this.#isTyping = false;
      this.#drawn[place.row][place.column] = '';
      const value = keep ? readNumber(input.value) : null;
      cell.replaceChildren();
      if (refocus) cell.focus();
      this.#draw();
      if (value !== null) this.#say('grid-edit', { ...place, value });
    };
    input.addEventListener('blur', () => close(true, false));
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter' || event.key === 'Escape') {
        event.preventDefault();
        close(event.key === 'Enter', true);
      }
    });
    cell.replaceChildren(input);
    input.focus();
    if (first === undefined) input.select();
  }
}

/**
 * Removes elements from the end, or adds some.
 * @template {HTMLElement} E
 * @param {E[]} list
 * @param {number} count
 * @param {() => E} create
 * @param {Element | null} parent
 */
function fitTo(list, count, create, parent) {
  while (list.length > count) list.pop()?.remove();
  while (list.length < count) {
    const one = create();
    parent?.append(one);
    list.push(one);
  }
}

function bodyCell() {
  const cell = /** @type {HTMLTableCellElement} */ (document.createElement('td'));
  cell.tabIndex = -1;
  return cell;
}

/** @param {string} scope */
function heading(scope) {
  const cell = document.createElement('th');
  cell.scope = scope;
  return cell;
}

/** @param {Element} element @param {string} text */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @typedef {{css: (value: number) => string, ink: (value: number) => string}} Shade */

/** @param {Grid} grid @returns {Shade} */
function shadeOf(grid) {
  if (grid.kind === 'signed') {
    const scale = signedScale();
    const peak = largestOf(grid.data) || 1;
    return { css: (value) => scale.css(value / peak), ink: (value) => scale.ink(value / peak) };
  }
  const scale = weightScale();
  return { css: (value) => scale.css(value), ink: (value) => scale.ink(value) };
}

define('qkv-grid', GridElement);

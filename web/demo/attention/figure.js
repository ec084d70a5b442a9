// A matrix with its name, its symbol, a text that says how it is computed, and a menu that saves it.

import { formatNumber, largestOf } from '../../view/numbers.js';
import { equation, plainEquation } from '../../view/math.js';
import { make } from '../shared/dom.js';
import { saveMenu } from './files.js';
import { texts } from './texts.js';

/** @typedef {import('./stages.js').Shown} Shown */

export class MatrixFigure {
  /** @param {string} id */
  constructor(id) {
    this.symbol = make('span.symbol');
    this.title = make('span.title');
    this.how = make('span.how');
    this.size = make('span.size');
    this.grid = /** @type {import('../../view/grid.js').GridElement} */ (document.createElement('qkv-grid'));
    this.grid.dataset.id = id;
    const save = saveMenu(() => /** @type {Shown} */ (this.shown));
    const caption = make('figcaption', {}, make('span.line', {}, this.title, this.symbol, save), this.how);
    this.node = make('figure.matrix-figure', {}, caption, this.grid, this.size);
    this.node.dataset.id = id;
  }

  /** @param {Shown} shown */
  show(shown) {
    const isSame = this.shown?.symbol === shown.symbol;
    this.shown = shown;
    this.node.dataset.role = shown.role;
    if (!isSame) this.symbol.replaceChildren(equation(shown.symbol));
    this.title.textContent = shown.title;
    this.how.textContent = shown.how;
    this.how.hidden = shown.how === '';
    const colours = {
      signed: texts.stages.colours(formatNumber(largestOf(shown.data))),
      weight: texts.stages.colours01,
      flag: '',
    };
    this.size.textContent = `${shown.rows.length} × ${shown.columns.length}${colours[shown.kind]}`;
    const { axes, rows, columns, data, kind, editable, isMasked, isAside } = shown;
    const summary = summaryOf(shown);
    this.grid.grid = { name: nameOf(shown), axes, rows, columns, data, kind, editable, isMasked, isAside, summary };
  }
}

/** @param {Shown} shown */
export const nameOf = ({ title, symbol }) => `${title} ${plainEquation(symbol)}`;

/** A sentence about a matrix, for screen readers. @param {Shown} shown */
export function summaryOf(shown) {
  const { title, rows, columns, data, kind } = shown;
  const size = texts.summary.size(title, rows.length, columns.length);
  const seen = data.map((value, at) => ({ value, at })).filter(({ value }) => value !== -Infinity);
  if (seen.length === 0) return texts.summary.nothing(size);
  const top = seen.reduce((best, one) => (one.value > best.value ? one : best));
  const [row, column] = [Math.floor(top.at / columns.length), top.at % columns.length];
  const hidden = data.length - seen.length;
  const also = hidden > 0 ? texts.summary.hidden(hidden) : '';
  const edit = shown.editable ? texts.summary.edit : '';
  return texts.summary.largest(size, formatNumber(top.value, kind), rows[row], columns[column], also) + edit;
}

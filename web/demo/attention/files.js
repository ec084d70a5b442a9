// Saves a matrix as CSV, SVG or PNG.

import { lookOf } from '../../view/figure.js';
import { formatNumber, largestOf } from '../../view/numbers.js';
import { SignedScale, WeightScale } from '../../view/colour.js';
import { bindMenu, saveFile, svg, toPng } from '../shared/download.js';
import { button, make } from '../shared/dom.js';
import { texts } from './texts.js';

/** @typedef {import('./stages.js').Shown} Shown */

/** @param {() => Shown} inView @returns {HTMLElement} */
export function saveMenu(inView) {
  const files = {
    CSV: (/** @type {Shown} */ shown) => new Blob([toCsv(shown)], { type: 'text/csv' }),
    SVG: (/** @type {Shown} */ shown) => svg(toSvg(shown)),
    PNG: (/** @type {Shown} */ shown) => toPng(toSvg(shown)),
  };
  const buttons = Object.entries(files).map(([name, file]) =>
    button(name, async () => saveFile(await file(inView()), `${inView().id}.${name.toLowerCase()}`)),
  );
  const summary = make('summary', { title: texts.page.save }, '⤓');
  summary.setAttribute('aria-label', texts.page.save);
  const menu = make('details.menu', {}, summary, make('div.sheet', {}, ...buttons));
  bindMenu(menu);
  return menu;
}

/** CSV as in RFC 4180, with the engine's numbers. @param {Shown} shown */
export function toCsv({ rows, columns, data }) {
  const cell = (/** @type {string} */ text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const number = (/** @type {number} */ x) =>
    x === -Infinity ? '-inf' : String(Math.fround(x) === x ? shortest(x) : x);
  const line = (/** @type {string} */ name, /** @type {number} */ r) =>
    [cell(name), ...columns.map((_, c) => number(data[r * columns.length + c]))].join(',');
  return [['', ...columns.map(cell)].join(','), ...rows.map(line), ''].join('\r\n');
}

/** The shortest decimal that is the same 32-bit float. @param {number} x */
function shortest(x) {
  for (let digits = 1; digits < 9; ++digits) {
    const text = x.toPrecision(digits);
    if (Math.fround(Number(text)) === x) return Number(text);
  }
  return Number(x.toPrecision(9));
}

const kCell = { width: 48, height: 28 };
const kMargin = 16;
const kHead = 44;
const kSans = "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";

/** A picture on white, without a style sheet. @param {Shown} shown */
export function toSvg({ title, how, rows, columns, data, kind }) {
  // The colours and the sizes.
  const look = lookOf(true);
  const weights = new WeightScale(look.weights);
  const signed = new SignedScale('#c2701c', look.weights[0], '#2f78b7');
  const peak = largestOf(data) || 1;
  const left = Math.ceil(Math.max(...rows.map((name) => look.measure(name, 12)))) + 10;
  const top = kMargin + kHead + 18;
  const [width, height] = [
    left + columns.length * kCell.width + 2 * kMargin,
    top + rows.length * kCell.height + kMargin,
  ];
  // The cells, and the names of rows and columns.
  const cells = rows.flatMap((_, r) =>
    columns.map((_, c) => {
      const value = data[r * columns.length + c];
      const [x, y] = [kMargin + left + c * kCell.width, top + r * kCell.height];
      const share = kind === 'signed' ? value / peak : value;
      const scale = kind === 'signed' ? signed : weights;
      const isHidden = value === -Infinity;
      const fill = isHidden ? '#eeeeea' : scale.css(share);
      const ink = isHidden ? look.faint : scale.ink(share);
      return (
        `<rect x="${x}" y="${y}" width="${kCell.width}" height="${kCell.height}" fill="${fill}" stroke="${look.line}"/>` +
        `<text x="${x + kCell.width / 2}" y="${y + 18.5}" fill="${ink}" text-anchor="middle">${formatNumber(value, kind)}</text>`
      );
    }),
  );
  const down = rows.map(
    (name, r) =>
      `<text x="${kMargin + left - 8}" y="${top + r * kCell.height + 18.5}" text-anchor="end">${escape(name)}</text>`,
  );
  const across = columns.map(
    (name, c) =>
      `<text x="${kMargin + left + (c + 0.5) * kCell.width}" y="${top - 6}" text-anchor="middle">${escape(name)}</text>`,
  );
  const wide = Math.max(width, 2 * kMargin + look.measure(how, 8), 200);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${height}" viewBox="0 0 ${wide} ${height}" font-family="${kSans}">`,
    `<title>${escape(title)}</title><rect width="${wide}" height="${height}" fill="#ffffff"/>`,
    `<text x="${kMargin}" y="28" font-size="15" font-weight="600" fill="${look.ink}">${escape(title)}</text>`,
    `<text x="${kMargin}" y="46" font-size="12" fill="${look.faint}">${escape(how)}</text>`,
    `<g font-size="12" fill="${look.faint}">${down.join('')}${across.join('')}</g>`,
    `<g font-size="12">${cells.join('')}</g>`,
    '</svg>',
    '',
  ].join('\n');
}

/** @param {string} text */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

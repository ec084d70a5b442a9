// The layout of a matrix's cells and labels: square cells as large as possible, and slanted labels if they fit.

/** @typedef {import('./trace.js').Slice} Slice */

/**
 * All lengths are in CSS pixels.
 * @typedef {object} Layout
 * @property {number} cell side of a cell
 * @property {number} font size of the labels
 * @property {boolean} upright column labels stand vertically, instead of at 45 degrees
 * @property {number} left room for the row labels
 * @property {number} top room for the column labels
 * @property {number} right width of slanted labels after the last column
 * @property {number} width of the cells together
 * @property {number} height
 */

export const kLargestCell = 64;
export const kSmallestCell = 10;
const kCrowded = 19;
const kLongestLabel = 14;
const kSlant = Math.SQRT1_2;
const kGap = 8;

/** @param {string} text */
export const shorten = (text) =>
  [...text].length > kLongestLabel ? `${[...text].slice(0, kLongestLabel - 1).join('')}…` : text;

/**
 * @param {Slice} slice
 * @param {number} width of the room
 * @param {number} height
 * @param {(text: string, size: number) => number} measure width of a label at a font size
 * @param {Slice[]} [beside] matrices that get cells of the same size, and the same space for labels
 * @returns {Layout}
 */
export function layoutOf(slice, width, height, measure, beside = []) {
  const all = [slice, ...beside];
  let layout = fit(all, width, height, measure, kLargestCell);
  if (layout.cell < kLargestCell) layout = fit(all, width, height, measure, layout.cell);
  return layout;
}

/**
 * @param {Slice[]} all the layout is for the first one; all of them must fit
 * @param {number} width
 * @param {number} height
 * @param {(text: string, size: number) => number} measure
 * @param {number} guess the assumed size of a cell, which determines the size of labels
 * @returns {Layout}
 */
function fit(all, width, height, measure, guess) {
  // The labels: their font, and the space at the left and at the top.
  const [slice] = all;
  const [allQueries, allKeys] = [all.flatMap(({ queries }) => queries), all.flatMap(({ keys }) => keys)];
  const rows = Math.max(...all.map(({ queries }) => queries.length));
  const columns = Math.max(...all.map(({ keys }) => keys.length));
  const font = Math.max(9, Math.min(13, Math.round(guess * 0.62)));
  const upright = guess < kCrowded;
  const widthOf = (/** @type {{text: string}} */ label) => measure(shorten(label.text), font);
  const left = Math.ceil(Math.max(...allQueries.map(widthOf))) + kGap + 4;
  const longest = Math.max(...allKeys.map(widthOf));
  const top = Math.ceil(upright ? longest + kGap + 2 : longest * kSlant + font + kGap);
  // The cells. Slanted labels may extend beyond the last column.
  const overhang = (/** @type {number} */ cell) =>
    upright
      ? 2
      : Math.max(...all.flatMap(({ keys }) => keys.map((key, k) => widthOf(key) * kSlant + (k + 1 - columns) * cell)));
  const widest = (width - left - Math.max(0, overhang(guess))) / columns;
  const cell = Math.max(
    kSmallestCell,
    Math.min(kLargestCell, guess, Math.floor(Math.min(widest, (height - top) / rows))),
  );
  const right = Math.max(2, Math.ceil(overhang(cell)));
  const [wide, high] = [slice.keys.length * cell, slice.queries.length * cell];
  return { cell, font, upright, left, top, right, width: wide, height: high };
}

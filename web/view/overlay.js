// The overlay of <qkv-matrix> while a place is highlighted: faded areas around it, outlines, numbers.

import { formatWeight, isMasked, weightAt } from './trace.js';

/** @typedef {import('./layout.js').Layout} Layout */
/** @typedef {import('./trace.js').Slice} Slice */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{query: number, key: number}} Cell */

const kNumbersFrom = 20;
const kWideNumbersFrom = 28;

/**
 * The areas outside the highlighted row. Without a row: outside the highlighted column.
 * @param {number | null} query
 * @param {number | null} key
 * @param {Layout} layout
 * @returns {Box[]}
 */
export function fadedAreas(query, key, { cell, width, height }) {
  if (query !== null) {
    const below = (query + 1) * cell;
    return [
      { x: 0, y: 0, width, height: query * cell },
      { x: 0, y: below, width, height: height - below },
    ];
  }
  if (key === null) return [];
  const after = (key + 1) * cell;
  return [
    { x: 0, y: 0, width: key * cell, height },
    { x: after, y: 0, width: width - after, height },
  ];
}

/** The rows that are not written yet. @param {Slice} slice @param {Layout} layout @returns {Box[]} */
export function unwritten({ written = null }, { cell, width, height }) {
  return written === null || written * cell >= height
    ? []
    : [{ x: 0, y: written * cell, width, height: height - written * cell }];
}

/**
 * The highlighted row or column. For a cell: its row and the cell.
 * @param {number | null} query
 * @param {number | null} key
 * @param {Layout} layout
 * @returns {Box[]}
 */
export function outlines(query, key, { cell, width, height }) {
  if (query === null) return key === null ? [] : [{ x: key * cell, y: 0, width: cell, height }];
  const row = { x: 0, y: query * cell, width, height: cell };
  return key === null ? [row] : [row, { ...row, x: key * cell, width: cell }];
}

/**
 * The keys in each query's window, and the window's centre.
 * @param {Slice} slice
 * @param {Layout} layout
 * @returns {{spans: Box[], centres: Box[]}} empty without a window
 */
export function windows({ window, queries }, { cell, width }) {
  if (!window) return { spans: [], centres: [] };
  const inside = (/** @type {number} */ x) => Math.max(0, Math.min(width, x));
  const { centres, halfWidth } = window;
  const rows = queries.map((_, query) => ({ y: query * cell, height: cell, centre: centres[query] }));
  return {
    spans: rows.map(({ centre, y, height }) => {
      const x = inside((centre - halfWidth) * cell);
      return { x, y, height, width: inside((centre + halfWidth + 1) * cell) - x };
    }),
    centres: rows.map(({ centre, y, height }) => ({ x: inside((centre + 0.5) * cell) - 1, y, height, width: 2 })),
  };
}

/**
 * The cells that show a number: the unmasked cells of the highlighted row, or without a row those of the column. None if the
 * cells are too small.
 * @param {Slice} slice
 * @param {number | null} query
 * @param {number | null} key
 * @param {Layout} layout
 * @returns {Cell[]}
 */
export function numbered(slice, query, key, { cell }) {
  if (cell < kNumbersFrom) return [];
  if (query !== null)
    return slice.keys.map((_, k) => ({ query, key: k })).filter((c) => !isMasked(slice, c.query, c.key));
  if (key !== null)
    return slice.queries.map((_, q) => ({ query: q, key })).filter((c) => !isMasked(slice, c.query, c.key));
  return [];
}

/**
 * A cell's number, with as many digits as fit. A number that rounds to 0 is only shown in the highlighted cell.
 * @param {Slice} slice
 * @param {Cell} at
 * @param {Layout} layout
 * @param {boolean} isHighlighted
 */
export function cellNumber(slice, { query, key }, { cell }, isHighlighted) {
  const weight = weightAt(slice, query, key);
  const size = Math.abs(weight);
  if (size < (slice.signed ? 0.05 : 0.005) && !isHighlighted) return '';
  const text = slice.signed && size >= 0.05 ? weight.toFixed(1).replace('-', '−') : formatWeight(weight);
  return cell >= kWideNumbersFrom && size >= 0.005 ? text : text.replace(/\b0\./, '.');
}

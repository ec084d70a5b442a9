// Moves the highlighted place of a matrix with the arrow keys.

/** @typedef {import('./selection.js').Place} Place */
/** @typedef {import('./trace.js').Slice} Slice */

const kPage = 10;

/** Whether the matrix has a place. @param {Slice} slice @param {Place} place */
export function inside(slice, { query, key }) {
  const rows = Math.min(slice.queries.length, slice.written ?? Infinity);
  const rowFits = query === null || (query >= 0 && query < rows);
  const columnFits = key === null || (key >= 0 && key < slice.keys.length);
  return rowFits && columnFits && (query !== null || key !== null);
}

/**
 * The place that a key moves to. Left of the first column is the whole row, above the first row the whole column.
 * @param {Slice} slice
 * @param {Place} place
 * @param {KeyboardEvent} event
 * @returns {Place | null} null if the key does not move
 */
export function moved(slice, place, { key: name, ctrlKey }) {
  const lastQuery = Math.min(slice.queries.length, slice.written ?? Infinity) - 1;
  const lastKey = slice.keys.length - 1;
  const [query, key] = [place.query ?? -1, place.key ?? -1];
  /** @type {Record<string, [number, number]>} */
  const moves = {
    ArrowUp: [query - 1, key],
    ArrowDown: [query + 1, key],
    ArrowLeft: [query, key - 1],
    ArrowRight: [query, key + 1],
    Home: [ctrlKey ? 0 : query, ctrlKey ? -1 : 0],
    End: [ctrlKey ? lastQuery : query, lastKey],
    PageUp: [Math.max(0, query - kPage), key],
    PageDown: [query + kPage, key],
  };
  if (!(name in moves)) return null;
  const q = Math.min(lastQuery, Math.max(-1, moves[name][0]));
  const k = Math.min(lastKey, Math.max(-1, moves[name][1]));
  if (q < 0 && k < 0) return place;
  return { query: q < 0 ? null : q, key: k < 0 ? null : k };
}

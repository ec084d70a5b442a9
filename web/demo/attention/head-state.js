// Makes a state of the playground from a head of a model: the head's queries, keys and values for a sentence.

import { isMasked, sliceOf } from '../../view/trace.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('../../lib/index.js').Trace} Trace */

export const kMostPieces = 16;

/**
 * @param {Trace} trace with vectors
 * @param {string} kind
 * @param {{layer: number, head: number}} place
 * @param {number | null} [row] take only this query, and the keys that it may see; null: all queries and keys
 * @returns {Partial<State>}
 */
export function stateOfHead(trace, kind, { layer, head }, row = null) {
  const slice = sliceOf(/** @type {any} */ (trace), { kind: /** @type {any} */ (kind), layer, head });
  if (!slice) throw new Error('The model has no such attention.');
  const { shape, vectors } = trace[/** @type {'cross'} */ (kind)];
  if (!vectors) throw new Error('The model’s attention does not compare queries with keys.');
  // Which queries and keys.
  const [all, columns] = [slice.queries.length, slice.keys.length];
  const [from, queries] = row === null ? [0, all] : [row, 1];
  const keys = row === null ? columns : slice.keys.filter((_, key) => !isMasked(slice, row, key)).length;
  if (row === null && Math.max(queries, keys) > kMostPieces)
    throw new Error(
      `The sentence has ${Math.max(queries, keys)} pieces, and the playground shows at most ${kMostPieces}: take a shorter sentence.`,
    );
  // Their numbers.
  const [layers, heads] = shape;
  const at = Math.min(layer, layers - 1) * heads + Math.min(head, heads - 1);
  /** Rows of [layers, heads, rows, dim], of this head. */
  const rowsOf = (
    /** @type {Float32Array} */ data,
    /** @type {number} */ rows,
    /** @type {number} */ first,
    /** @type {number} */ count,
  ) =>
    Array.from({ length: count }, (_, i) => {
      const begin = (at * rows + first + i) * vectors.dim;
      return Array.from(data.subarray(begin, begin + vectors.dim), toLink);
    });
  const name = (/** @type {{text: string}} */ { text }) => text.replaceAll('|', '¦');
  return {
    query: rowsOf(vectors.queries, all, from, queries),
    key: rowsOf(vectors.keys, columns, 0, keys),
    value: rowsOf(vectors.values, columns, 0, keys),
    causal: slice.causal && row === null,
    queryNames: slice.queries.slice(from, from + queries).map(name),
    keyNames: slice.keys.slice(0, keys).map(name),
  };
}

/** A number with three decimals. The link stays short, and the weights keep the digits that are shown. @param {number} x */
const toLink = (x) => Math.round(1000 * x) / 1000 + 0;

// A link that explains a weight: it opens the page Attention with the queries, keys and values of the head in view, and with
// the cell pinned.

import { kLongest, writeLink } from '../attention/link.js';
import { firstState } from '../attention/state.js';
import { kMostPieces, stateOfHead } from '../attention/head-state.js';

/** @typedef {import('../../view/trace.js').Slice} Slice */
/** @typedef {import('../../lib/index.js').Trace} Trace */

/** The lessons on the scores of the models that use other scores. @type {Record<string, string>} */
const kLessons = { bahdanau: 'additive', 'luong-dot': 'compare', 'luong-general': 'compare', 'luong-local': 'local' };

/**
 * @param {Trace} trace with vectors
 * @param {Slice} slice in view
 * @param {{query: number, key: number}} cell
 * @returns {{href: string, text: string} | null} null: the page Attention cannot show it
 */
export function playgroundLink(trace, { kind, layer, head, queries, keys }, { query, key }) {
  if (kind === 'alignment') return null;
  if (!trace[kind].vectors) {
    const lesson = kLessons[trace.model.name];
    return lesson ? { href: `attention.html#preset=${lesson}`, text: 'How is such a weight made?' } : null;
  }
  const row = Math.max(queries.length, keys.length) > kMostPieces ? query : null;
  const taken = stateOfHead(trace, kind, { layer, head }, row);
  const pinned = { matrix: 'weights', row: row === null ? query : 0, column: key };
  const hash = writeLink({ ...firstState(), ...taken, pinned }, firstState());
  return hash.length <= kLongest ? { href: `attention.html${hash}`, text: 'How was this made?' } : null;
}

// The result of a search: its hypotheses, and its record as a tree. Layout qkv-search/1.
import { plain } from './trace.js';

/**
 * A finished hypothesis of the search.
 * @typedef {object} Hypothesis
 * @property {string} text
 * @property {string[]} pieces as the vocabulary writes them: '▁the' where a word begins; the last one is '</s>'
 * @property {Int32Array} ids of the pieces; they can be used as a `prefix`, whole or in part
 * @property {number} score the score for ranking: logProb / pieces.length ** penalty, with the model's length penalty
 * @property {number} logProb the natural logarithm of its probability, given the source: the sum over its pieces. If
 *   it was cut, the forced '</s>' is not counted
 * @property {import('../engine/engine.js').Cut} cut
 * @property {number} [node] its last piece in the tree, if a tree was requested; -1 for an empty source
 */

/**
 * The record of the search, step by step, as lists with the same indices: entry i is the piece `pieces[i]` written
 * after entry `parents[i]`. An entry comes after its parent. An entry that no hypothesis continues was dropped.
 * @typedef {object} SearchTree
 * @property {string[]} pieces
 * @property {Int32Array} ids
 * @property {Int32Array} parents -1: the piece begins a translation
 * @property {Float32Array} logProbs the natural logarithm of the probability of the path from the beginning to this
 *   entry
 */

/**
 * @typedef {object} SearchFields
 * @property {'qkv-search/1'} format
 * @property {string} source
 * @property {number} beam hypotheses kept in each step
 * @property {Hypothesis[]} hypotheses best first; at least one, at most `nBest`
 * @property {SearchTree} [tree] if requested
 * @property {import('../engine/engine.js').Cut} cut of the best hypothesis
 * @property {boolean} truncated whether the source had more pieces than the model has positions. Then its end was not
 *   read
 * @property {number} confidence of the best hypothesis, from 0 to 1
 * @property {import('../engine/engine.js').Warning[]} warnings about it
 */

/** @typedef {SearchFields & {toJSON: () => object}} Search in JSON, typed arrays become arrays */

/**
 * @param {import('../engine/glue.js').WasmTranslation} raw
 * @param {string} source
 * @param {number} beam
 * @param {boolean} wantsTree
 * @returns {Search}
 */
export function makeSearch({ truncated, nBest, tree, confidence, warnings, ...best }, source, beam, wantsTree) {
  /** @type {Hypothesis[]} */
  const hypotheses = nBest ?? [best];
  const fields = /** @type {SearchFields} */ ({ format: 'qkv-search/1', source, beam, hypotheses });
  if (wantsTree) {
    fields.tree = tree ?? {
      pieces: [],
      ids: new Int32Array(),
      parents: new Int32Array(),
      logProbs: new Float32Array(),
    };
    const find = nodesOf(fields.tree);
    for (const hypothesis of hypotheses) hypothesis.node = find(hypothesis.ids);
  }
  Object.assign(fields, { cut: best.cut, truncated, confidence, warnings });
  return Object.defineProperty(/** @type {Search} */ (fields), 'toJSON', { value: toJSON });
}

/**
 * The entry at the end of a path. No two entries have the same piece and parent.
 * @param {SearchTree} tree
 * @returns {(ids: Int32Array) => number}
 */
function nodesOf({ ids, parents }) {
  const known = new Map(Array.from(ids, (id, node) => [`${parents[node]},${id}`, node]));
  return (path) => path.reduce((parent, id) => known.get(`${parent},${id}`) ?? -1, -1);
}

/** @this {SearchFields} */
function toJSON() {
  return plain({ ...this });
}

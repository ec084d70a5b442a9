import { bytesIn, checkShape, withHeads } from './choices.js';
import { withEngine } from './engine.js';
import { described, invalid, readFields } from '../base/arguments.js';
import { readFlag } from './fields.js';
import { readTensor } from './tensor.js';

/** @typedef {import('./options.js').Tensor} Tensor */
/** @typedef {import('./options.js').TensorLike} TensorLike */

/**
 * The sums over the keys so far, [G, dk, dv + 1]: sum phi(k) v', and sum phi(k) in the last column. Their size does not
 * depend on the number of keys. A plain value: it can be stored, copied or sent.
 * @typedef {{data: Float64Array, shape: number[]}} LinearState
 */

/**
 * Linear attention (Katharopoulos et al. 2020). The weights are phi(q)'phi(k) divided by their sum, with phi(x) = elu(x) + 1.
 * So keys and values are added up once, and every query reads the sums:
 *
 *     output = (phi(q)' sum_j phi(k_j) v_j') / (phi(q)' sum_j phi(k_j))
 *
 * Time grows with the length, not with its square, and no matrix of weights is stored. `attention` with the score 'linear'
 * also has the weights; both results are equal up to rounding, 10^-5 of the largest value. With the `state` of an earlier
 * call it continues there: one query and key at a time give the same bits as all in one call.
 * @param {object} options
 * @param {TensorLike} options.query [H, Q, d] or [Q, d]
 * @param {TensorLike} options.key [G, K, d] or [K, d]; G divides H
 * @param {TensorLike} options.value [G, K, dv] or [K, dv]
 * @param {boolean} [options.causal] query i reads the keys 0 to i; then Q and K must be equal. Default false
 * @param {LinearState} [options.state] the sums over the keys before these
 * @returns {Promise<{output: Tensor, state: LinearState}>} `output`: [H, Q, dv] or [Q, dv]; zeros if there were no keys. Rejects as
 *   `attention` does
 */
export async function linearAttention(options) {
  const given = readFields(options, 'linearAttention', ['query', 'key', 'value', 'causal', 'state']);
  const [query, key, value] = ['query', 'key', 'value'].map((name) => withHeads(readTensor(given[name], name, [2, 3])));
  const state = given.state === undefined ? undefined : readState(given.state);
  const causal = readFlag(given.causal, 'causal');
  if (state) checkShape('state', state.shape, [key.shape[0], key.shape[2], value.shape[2] + 1]);
  const request = { query, key, value, causal, ...(state && { state }), bytes: 0 };
  request.bytes = bytesIn([query, key, value, state]);
  const result = await withEngine((wasm) => wasm.attendLinear(request));
  if (query.given.length === 2) result.output.shape.shift();
  return result;
}

/** @param {unknown} given @returns {LinearState} */
function readState(given) {
  const { data, shape } = readFields(given, 'state', ['data', 'shape']);
  if (!(data instanceof Float64Array) || !Array.isArray(shape)) {
    throw invalid('state', `expected the state of an earlier call, got ${described(given)}`);
  }
  const sizes = shape.map(Number);
  if (data.length !== sizes.reduce((a, b) => a * b, 1))
    throw invalid('state', 'its data does not have the size of its shape');
  return { data: data.slice(), shape: sizes };
}

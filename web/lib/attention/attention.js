import { bytesIn } from './choices.js';
import { withEngine } from './engine.js';
import { readFields } from '../base/arguments.js';
import { finishRecords } from './records.js';
import { readRequest, requestNames } from './request.js';

/** @typedef {import('./options.js').Recorded} Recorded */
/** @typedef {import('./options.js').Tensor} Tensor */
/** @typedef {import('./options.js').TensorLike} TensorLike */

/**
 * @template {Recorded} R
 * @typedef {import('./options.js').Choices<R> & {query: TensorLike, concatenate?: boolean}} Common `query`: [H, Q,
 *   d], or [Q, d] for one head; then no result has an axis of heads. `concatenate`: several queries read one memory, and
 *   their outputs are joined to [Q, H * dv]. Queries [N, d] then have the same position, and each is a head: the output
 *   is one vector [N * dv]
 */

/**
 * Attention over keys and values. Keys and values may have fewer heads than queries: a divisor of their number.
 * @template {Recorded} R
 * @typedef {Common<R> & ({key: TensorLike, value: TensorLike} | {memory: TensorLike})} AttentionOptions `key`: [G, K,
 *   dk] or [K, dk]; `value`: [G, K, dv] or [K, dv]; `memory`: keys and values in one tensor
 */

/**
 * Without values there are weights, but no output.
 * @template {Recorded} R
 * @typedef {Common<R> & {key: TensorLike}} WeightsOptions
 */

/**
 * Attention: any score, selection, window and mask, over heads of queries, keys and values.
 *
 *     logits  = (score(q_i, k_j) + bias_ij) / temperature    where i may see j
 *     weights = selection(logits), times the window's Gaussian
 *     output  = weights V
 *
 * It computes in the calling thread. For long sequences, record less and call it in a worker.
 * @template {Recorded} [R=Recorded]
 * @overload
 * @param {AttentionOptions<R>} options
 * @returns {Promise<{output: Tensor} & Pick<import('./options.js').Records, R>>} `output`: [H, Q, dv]. Rejects with a
 *   QkvError: INVALID_ARGUMENT, whose `where` names the argument; LIMIT_EXCEEDED, if inputs or records do not fit into
 *   the engine's memory; or as `loadAttention` does
 */
/**
 * @template {Recorded} [R=Recorded]
 * @overload
 * @param {WeightsOptions<R>} options
 * @returns {Promise<Pick<import('./options.js').Records, R>>}
 */
/**
 * @param {any} options
 * @returns {Promise<any>}
 */
export async function attention(options) {
  const request = readRequest(readFields(options, 'attention', requestNames));
  const { bytes: _bytes, ...tensors } = request;
  request.bytes = bytesIn(tensors) * (request.columns ? 2 : 1);
  const result = await withEngine((wasm) => wasm.attend(request));
  const hasHeads = request.hasHeads;
  if (result.output && !request.concatenate && !hasHeads) result.output.shape.shift();
  return finishRecords(result, request, hasHeads);
}

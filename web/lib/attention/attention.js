import { bytesIn, choiceNames, isByColumns, readChoices, withHeads } from './choices.js';
import { withEngine } from './engine.js';
import { invalid, readFields } from '../base/given.js';
import { readFlag } from './fields.js';
import { finishRecords } from './records.js';
import { readTensor } from './tensor.js';

/** @typedef {import('./options.js').Recorded} Recorded */
/** @typedef {import('./options.js').Tensor} Tensor */
/** @typedef {import('./options.js').TensorLike} TensorLike */

const kNames = ['query', 'key', 'value', 'memory', 'concatenate', ...choiceNames];

/**
 * @template {Recorded} R
 * @typedef {import('./options.js').Choices<R> & {query: TensorLike, concatenate?: boolean}} Common `query`: [H, Q,
 *   d], or [Q, d] for one head, and then no result has an axis of heads. `concatenate`: several queries read one
 *   memory, and their results are joined: the output is [Q, H * dv], or one vector [N * dv] for queries [N, d], which
 *   then have one position, each as a head
 */

/**
 * Attention over keys and values. Keys and values may have fewer heads than queries, a number that divides theirs.
 * @template {Recorded} R
 * @typedef {Common<R> & ({key: TensorLike, value: TensorLike} | {memory: TensorLike})} AttentionOptions `key`: [G, K,
 *   dk] or [K, dk]; `value`: [G, K, dv] or [K, dv]; `memory`: keys and values in one tensor
 */

/**
 * Only the weights are wanted, not an output.
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
 * It computes in the calling thread; for long sequences record less, and call it from a worker.
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
  const request = readRequest(options);
  const { bytes: _bytes, ...tensors } = request;
  request.bytes = bytesIn(tensors) * (request.columns ? 2 : 1);
  const result = await withEngine((wasm) => wasm.attend(request));
  const hasHeads = request.hasHeads;
  if (result.output && !request.concatenate && !hasHeads) result.output.shape.shift();
  return finishRecords(result, request, hasHeads);
}

/** @param {unknown} given */
function readRequest(given) {
  const options = readFields(given, 'attention', kNames);
  const query = readTensor(options.query, 'query', [2, 3]);
  const hasHeads = query.shape.length === 3;
  const { key, value, valueIsKey } = readMemory(options);
  const columns = isByColumns(options);
  const [heads, a, b] = withHeads(query).shape;
  const keys = key.shape.at(columns ? -1 : -2);
  const choices = readChoices(options, { heads, queries: columns ? b : a, keys: /** @type {number} */ (keys) });
  const concatenate = readFlag(options.concatenate, 'concatenate');
  const spread = concatenate && !hasHeads;
  if (spread && choices.window.centres) {
    const { data } = choices.window.centres;
    choices.window.centres = { data, shape: [data.length, 1, 1] };
  }
  return { ...choices, query: withHeads(query), key, value, valueIsKey, concatenate, spread, hasHeads, bytes: 0 };
}

/** @param {Record<string, any>} options */
function readMemory({ key, value, memory }) {
  if (memory === undefined) {
    const keys = withHeads(readTensor(key, 'key', [2, 3]));
    const values = value === undefined ? undefined : withHeads(readTensor(value, 'value', [2, 3]));
    return { key: keys, value: values, valueIsKey: false };
  }
  if (key !== undefined || value !== undefined) {
    throw invalid('memory', 'a memory is key and value at once: give it, or key and value');
  }
  return { key: withHeads(readTensor(memory, 'memory', [2, 3])), value: undefined, valueIsKey: true };
}

import { bytesIn, choiceNames, isByColumns, readChoices, withHeads } from './choices.js';
import { withEngine } from './engine.js';
import { invalid, readFields } from '../base/arguments.js';
import { readWhole } from './fields.js';
import { finishRecords } from './records.js';
import { readTensor } from './tensor.js';

/** @typedef {import('../engine/glue.js').WasmTensor} WasmTensor */
/** @typedef {import('./options.js').Layer} Layer */
/** @typedef {import('./options.js').LayerMemory} LayerMemory */
/** @typedef {import('./options.js').Recorded} Recorded */
/** @typedef {import('./options.js').Tensor} Tensor */
/** @typedef {import('./options.js').TensorLike} TensorLike */

const kParts = ['query', 'key', 'value', 'output'];
const kNames = ['query', 'key', 'value', 'heads', 'keyHeads', 'weights', 'biases', 'memory', ...choiceNames];

/**
 * @template {Recorded} R
 * @typedef {import('./options.js').Choices<R> & LayerOptions} MultiHeadOptions parameters, masks and windows are for the
 *   projected heads. K includes the rows of the memory
 */

/**
 * @typedef {object} LayerOptions
 * @property {TensorLike} query [Q, inputs]
 * @property {TensorLike} [key] [K, inputs]; default: the query, which is self-attention
 * @property {TensorLike} [value] [K, inputs]; default: the key
 * @property {number} [heads] default 1
 * @property {number} [keyHeads] heads of keys and values; divides `heads` (Ainslie et al. 2023). Default: `heads`
 * @property {Layer} [weights] each [outputs, inputs], as in PyTorch's Linear
 * @property {Layer} [biases] each [outputs]; a bias without its weight is refused
 * @property {LayerMemory} [memory] the memory that an earlier call of the same layer has returned. Its keys and values
 *   come before those of this call, and the position of query 0 is its number of rows
 */

/**
 * Multi-head attention (Vaswani et al. 2017, section 3.2.2): W_o [head_1; ...; head_H]. Each head has its own
 * projections of queries, keys and values. Any score, selection, window and mask can be used.
 *
 * With the `memory` of an earlier call it continues there: causal attention row by row has the same result as for the whole
 * sequence at once. With `mask.firstQuery` it begins in the middle of a sequence; then it takes and returns no memory.
 * @template {Recorded} [R=Recorded]
 * @param {MultiHeadOptions<R>} options
 * @returns {Promise<{output: Tensor, memory?: LayerMemory} & Pick<import('./options.js').Records, R>>} `output`: [Q, outputs].
 *   Rejects as `attention` does
 */
export async function multiHeadAttention(options) {
  const request = readRequest(options);
  const result = await withEngine((wasm) => wasm.multiHead(request));
  return /** @type {any} */ (finishRecords(result, request, true));
}

/** @param {unknown} given */
function readRequest(given) {
  const options = readFields(given, 'multiHeadAttention', kNames);
  const columns = isByColumns(options);
  const rowsOf = (/** @type {WasmTensor} */ { shape }) => shape[columns ? 2 : 1];
  const [query, key, value] = ['query', 'key', 'value'].map((name) => readInput(options, name));
  if (!query) throw invalid('query', 'it is missing');
  const heads = readWhole(options.heads ?? 1, 'heads', 1);
  const keyHeads = readWhole(options.keyHeads ?? heads, 'keyHeads', 1);
  const memory = options.memory === undefined ? undefined : readMemory(options.memory);
  const keys = rowsOf(key ?? query) + (memory ? memory.keys.shape[1] : 0);
  const choices = readChoices(options, { heads, queries: rowsOf(query), keys });
  const layer = readLayer(options);
  const inputs = { query, key, value, memory };
  const remember = isRemembered(choices.mask, memory !== undefined);
  const bytes = 2 * bytesIn([choices, layer, inputs]); // the engine has a second copy, packed or transposed
  return { ...choices, ...layer, ...inputs, heads, keyHeads, remember, bytes };
}

/**
 * @param {Record<string, any>} options
 * @param {string} name
 * @returns {WasmTensor | undefined}
 */
const readInput = (options, name) =>
  options[name] === undefined ? undefined : withHeads(readTensor(options[name], name, [2]));

/**
 * @param {{isPlaced: boolean}} mask
 * @param {boolean} hasMemory
 */
function isRemembered({ isPlaced }, hasMemory) {
  if (isPlaced && hasMemory)
    throw invalid('firstQuery', 'with a memory it is the number of rows of the memory: leave firstQuery out');
  return !isPlaced;
}

/** @param {unknown} given */
function readMemory(given) {
  const memory = readFields(given, 'memory', ['keys', 'values']);
  const [keys, values] = [memory.keys, memory.values].map((rows) => withHeads(readTensor(rows, 'memory', [2])));
  if (keys.shape[1] !== values.shape[1]) throw invalid('memory', 'it must have as many keys as values');
  return { keys, values };
}

/** @param {Record<string, any>} options */
function readLayer(options) {
  const weights = readParts(options.weights, 'weights', [2]);
  const biases = readParts(options.biases, 'biases', [1]);
  for (const [name, bias] of Object.entries(biases)) {
    if (bias.shape[2] === weights[name]?.shape[1]) continue;
    throw invalid(name, 'a bias must have one number for each row of its weight');
  }
  return { weights, biases };
}

/**
 * @param {unknown} given
 * @param {string} name
 * @param {number[]} ranks
 */
function readParts(given, name, ranks) {
  const parts = Object.entries(readFields(given, name, kParts)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    parts.map(([part, value]) => {
      const tensor = withHeads(readTensor(value, part, ranks));
      if (tensor.shape.includes(0)) throw invalid(part, 'a weight or bias must not be empty');
      return [part, tensor];
    }),
  );
}

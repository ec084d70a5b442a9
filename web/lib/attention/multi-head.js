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
 * @typedef {import('./options.js').Choices<R> & LayerOptions} MultiHeadOptions parameters, masks and windows are those of the
 *   projected heads; K counts the memory's rows too
 */

/**
 * @typedef {object} LayerOptions
 * @property {TensorLike} query [Q, inputs]
 * @property {TensorLike} [key] [K, inputs]; left out it is the query: self-attention
 * @property {TensorLike} [value] [K, inputs]; left out it is the key
 * @property {number} [heads] default 1
 * @property {number} [keyHeads] of keys and values; divides `heads` (Ainslie et al. 2023). Default: as many as heads
 * @property {Layer} [weights] each [outputs, inputs], as in PyTorch's Linear
 * @property {Layer} [biases] each [outputs]; one without a weight is refused
 * @property {LayerMemory} [memory] the memory that an earlier call of the same layer returned: its keys and values
 *   come before these, and the position of query 0 is the number of its rows
 */

/**
 * Multi-head attention (Vaswani et al. 2017, section 3.2.2): W_o [head_1; ...; head_H], head_h attending in its own
 * projection of queries, keys and values, by any score, selection, window and mask.
 *
 * With the `memory` of an earlier call it continues there: causal attention row by row equals that of the whole
 * sequence at once. With `mask.firstQuery` it begins in the middle without a memory, and returns none.
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
  const bytes = 2 * bytesIn([choices, layer, inputs]); // packed or transposed, they exist twice
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
  if (isPlaced && hasMemory) throw invalid('firstQuery', 'with a memory it is the number of its rows: leave it out');
  return !isPlaced;
}

/** @param {unknown} given */
function readMemory(given) {
  const memory = readFields(given, 'memory', ['keys', 'values']);
  const [keys, values] = [memory.keys, memory.values].map((rows) => withHeads(readTensor(rows, 'memory', [2])));
  if (keys.shape[1] !== values.shape[1]) throw invalid('memory', 'it has as many keys as values');
  return { keys, values };
}

/** @param {Record<string, any>} options */
function readLayer(options) {
  const weights = readParts(options.weights, 'weights', [2]);
  const biases = readParts(options.biases, 'biases', [1]);
  for (const [name, bias] of Object.entries(biases)) {
    if (bias.shape[2] === weights[name]?.shape[1]) continue;
    throw invalid(name, 'a bias has a number for each row of its weight');
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

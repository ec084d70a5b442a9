// Gets the numbers of a state from the engine, stage by stage. This module computes nothing itself.

import { attention, multiHeadAttention } from '../../lib/attention/index.js';
import { keysOf, sizesOf, valuesOf } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Matrix} Matrix */
/** @typedef {{data: ArrayLike<number>, shape: number[]}} Tensor */

/**
 * The numbers of a state. Vectors are rows in both conventions. H heads, Q queries, K keys.
 * @typedef {object} Result
 * @property {Tensor | null} products [H, Q, K], for scores that begin with products of queries and keys
 * @property {Tensor} scores [H, Q, K]
 * @property {Tensor} logits [H, Q, K]
 * @property {Tensor} selected [H, Q, K], the weights before the Gaussian of the window
 * @property {Tensor} weights [H, Q, K]
 * @property {Tensor | null} weighted [H, Q, K * dv], each value times its weight
 * @property {Tensor} output [Q, H * dv]
 * @property {Tensor} chosen [H, Q]
 * @property {Tensor | null} centres [H, Q]
 */

/** Scores that begin with the product of queries and keys. */
const kProducts = ['dot', 'scaled-dot', 'cosine', 'alibi', 't5'];

/**
 * The call of the library for a state.
 * @param {State} state
 * @returns {{name: 'attention' | 'multiHeadAttention', options: Record<string, any>}}
 */
export function callOf(state) {
  const isLayer = state.heads > 1;
  const inputs = isLayer ? layerInputs(state) : plainInputs(state);
  return { name: isLayer ? 'multiHeadAttention' : 'attention', options: { ...inputs, ...choicesOf(state) } };
}

/** The inputs of `attention`. @param {State} state */
function plainInputs(state) {
  const by = orderOf(state);
  const query = by(state.query);
  const joined = state.joined ? { concatenate: true } : {};
  if (state.memory === 'key-value') return { query, key: by(state.key), value: by(state.value), ...joined };
  return { query, memory: by(keysOf(state)), ...joined };
}

/** The inputs of `multiHeadAttention`. @param {State} state */
function layerInputs(state) {
  const by = orderOf(state);
  const inputs = { query: by(state.query), heads: state.heads };
  if (state.memory === 'self') return inputs;
  const key = by(state.key);
  return state.memory === 'one' ? { ...inputs, key } : { ...inputs, key, value: by(state.value) };
}

/** What makes a matrix of the state one in the state's convention. @param {State} state @returns {(matrix: Matrix) => Matrix} */
const orderOf = (state) => (state.convention === 'columns' ? transposed : (matrix) => matrix);

/** @param {Matrix} matrix */
export const transposed = (matrix) => matrix[0].map((_, c) => matrix.map((row) => row[c]));

/** The options that differ from the library's defaults. @param {State} state */
function choicesOf(state) {
  const options = { .../** @type {Record<string, any>} */ ({}), ...scoreOf(state) };
  if (state.selection !== 'soft') options.selection = state.selection;
  if (state.temperature !== 1) options.temperature = state.temperature;
  if (state.selection === 'entmax') options.alpha = state.alpha;
  if (state.selection === 'sampled') options.seed = state.seed;
  if (state.window !== 'global') options.window = windowOf(state);
  const mask = maskOf(state);
  if (Object.keys(mask).length > 0) options.mask = mask;
  if (state.once) options.maskUsed = true;
  if (state.convention === 'columns') options.convention = 'columns';
  return options;
}

/** @param {State} state */
function scoreOf({ score, parameters }) {
  /** @type {Record<string, any>} */
  const options = score === 'scaled-dot' ? {} : { score };
  const given = Object.entries(parameters).map(([name, value]) => [name, value.length > 1 ? value : oneRow(value)]);
  if (given.length > 0) options.parameters = Object.fromEntries(given);
  return options;
}

/** A single number or row without its outer brackets. @param {Matrix} matrix */
const oneRow = ([row]) => (row.length === 1 ? row[0] : row);

/** @param {State} state */
function windowOf({ window, halfWidth, sinks, centres, W_p, v_p }) {
  if (window === 'local-m') return { kind: window, halfWidth, ...(sinks > 0 && { sinks }) };
  return centres ? { kind: window, halfWidth, centres: centres[0] } : { kind: window, halfWidth, W_p, v_p: v_p[0] };
}

/** @param {State} state */
function maskOf(state) {
  const by = orderOf(state);
  /** @type {Record<string, any>} */
  const mask = {};
  if (state.causal) mask.causal = true;
  if (state.padding > 0) mask.paddingFrom = keysOf(state).length - state.padding;
  if (state.allowed) mask.allowed = by(state.allowed);
  if (state.bias) mask.bias = by(state.bias);
  return mask;
}

/**
 * @param {State} state complete
 * @returns {Promise<Result>} rejects with the engine's QkvError if the choices do not fit together
 */
export async function compute(state) {
  const { name, options } = callOf(state);
  const call = /** @type {(options: any) => Promise<any>} */ (name === 'attention' ? attention : multiHeadAttention);
  const main = asRows(await call(options), state);
  const inputs = perHead(state);
  const [products, selected, weighted] = await Promise.all([
    productsOf(state, inputs),
    selectedOf(state, inputs, main),
    weightedOf(state, inputs),
  ]);
  const sizes = sizesOf(state);
  const output = { data: main.output.data, shape: [sizes.queries, sizes.valueDim] };
  return { ...main, products, selected: selected ?? main.weights, weighted, output };
}

/** The weights of one query of a state with one head. @param {State} state @param {number} i @returns {Promise<number[]>} */
export async function weightsOfQuery(state, i) {
  const { options } = callOf({ ...state, convention: 'rows' });
  const { weights } = await attention(/** @type {any} */ ({ ...options, record: ['weights'] }));
  const keys = weights.shape.at(-1) ?? 0;
  return Array.from(weights.data.subarray(i * keys, (i + 1) * keys));
}

/** The engine's answer with vectors as rows and with an axis of heads. @param {Record<string, any>} answer @param {State} state */
function asRows(answer, state) {
  const { queries, keys, heads } = sizesOf(state);
  const isTransposed = state.convention === 'columns';
  const pairs = (/** @type {{data: Float32Array}} */ { data }) => ({
    data: isTransposed ? transposedData(data, heads, keys, queries) : data,
    shape: [heads, queries, keys],
  });
  const output =
    isTransposed && !state.joined
      ? transposedData(answer.output.data, 1, sizesOf(state).valueDim, queries)
      : answer.output.data;
  return {
    scores: pairs(answer.scores),
    logits: pairs(answer.logits),
    weights: pairs(answer.weights),
    chosen: answer.chosen,
    centres: answer.centres,
    output: { data: output },
  };
}

/** @param {ArrayLike<number>} data [heads, rows, columns] @param {number} heads @param {number} rows @param {number} columns */
function transposedData(data, heads, rows, columns) {
  const out = new Float32Array(data.length);
  for (let h = 0; h < heads; ++h) {
    const at = h * rows * columns;
    for (let r = 0; r < rows; ++r) {
      for (let c = 0; c < columns; ++c) out[at + c * rows + r] = data[at + r * columns + c];
    }
  }
  return out;
}

/** @typedef {{query: Tensor, key: Tensor, value: Tensor}} Inputs with an axis of heads */

/** @param {State} state @returns {Inputs} */
function perHead(state) {
  const split = (/** @type {Matrix} */ matrix) => splitHeads(matrix, state.heads);
  return { query: split(state.query), key: split(keysOf(state)), value: split(valuesOf(state)) };
}

/** Divides the columns of a matrix among heads. @param {Matrix} matrix @param {number} heads @returns {Tensor} */
function splitHeads(matrix, heads) {
  const width = matrix[0].length / heads;
  const parts = Array.from({ length: heads }, (_, h) => matrix.map((row) => row.slice(h * width, (h + 1) * width)));
  return { data: parts.flat(2), shape: [heads, matrix.length, width] };
}

/** The products of queries and keys, for scores that begin with them. @param {State} state @param {Inputs} inputs */
async function productsOf(state, { query, key }) {
  if (!kProducts.includes(state.score)) return null;
  const { scores } = await attention({ query, key, score: 'dot', record: ['scores'] });
  return scores;
}

/** The weights before the Gaussian of local-p, within the same window. */
async function selectedOf(/** @type {State} */ state, /** @type {Inputs} */ inputs, /** @type {any} */ main) {
  if (state.window !== 'local-p') return null;
  const { query, key } = inputs;
  const value = state.selection === 'max-pool' ? inputs.value : undefined; // max pooling selects by the values
  const allowed = { data: Array.from(main.logits.data, (x) => x !== -Infinity), shape: main.logits.shape };
  const { window: _window, convention: _convention, ...choices } = choicesOf({ ...state, convention: 'rows' });
  const mask = { ...choices.mask, allowed };
  const { weights } = await attention({ query, key, ...(value && { value }), ...choices, mask, record: ['weights'] });
  return weights;
}

/**
 * Each value times its weight. It is the output for wider values, in which each key has columns of its own.
 * @param {State} state
 * @param {Inputs} inputs
 */
async function weightedOf(state, { query, key, value }) {
  if (state.selection === 'max-pool' || state.joined) return null;
  const [heads, keys, width] = value.shape;
  // The value of key j, in the columns of key j.
  const apart = new Float32Array(heads * keys * keys * width);
  for (let h = 0; h < heads; ++h) {
    for (let j = 0; j < keys; ++j) {
      for (let c = 0; c < width; ++c)
        apart[((h * keys + j) * keys + j) * width + c] = value.data[(h * keys + j) * width + c];
    }
  }
  const choices = choicesOf({ ...state, convention: 'rows' });
  const values = { data: apart, shape: [heads, keys, keys * width] };
  const { output } = await attention({ query, key, value: values, ...choices, record: [] });
  return output;
}

// The state of the page, as one plain object. The link has all of it, and the results depend on nothing else.

import { randomMatrix } from './random.js';

/** @typedef {number[][]} Matrix */

/**
 * @typedef {object} State
 * @property {string} preset
 * @property {Matrix} query [queries, d], a row for each query
 * @property {Matrix} key [keys, d]; not used if memory is 'self'
 * @property {Matrix} value [keys, dv]; used only if memory is 'key-value'
 * @property {'key-value' | 'one' | 'self'} memory keys and values; one matrix for both; the queries themselves
 * @property {number} heads the number of heads; each has a part of the columns
 * @property {boolean} joined whether the results of several queries over one memory are joined
 * @property {string} score
 * @property {Record<string, Matrix>} parameters of the score
 * @property {string} selection
 * @property {number} temperature
 * @property {number} alpha of the selection entmax
 * @property {number} seed of the sampled selection
 * @property {string} window
 * @property {number} halfWidth
 * @property {number} sinks how many of the first keys the window local-m also has
 * @property {Matrix | null} centres [1, queries]; null: predicted by W_p and v_p
 * @property {Matrix} W_p
 * @property {Matrix} v_p
 * @property {boolean} causal
 * @property {number} padding how many of the last keys are padding
 * @property {Matrix | null} allowed [queries, keys] of 0 and 1; null: all
 * @property {Matrix | null} bias [queries, keys]; null: none
 * @property {boolean} once whether each key is chosen only once, as in a pointer network
 * @property {'rows' | 'columns'} convention
 * @property {string[]} queryNames empty: q1, q2, ...
 * @property {string[]} keyNames
 * @property {number} random the seed of the random numbers
 * @property {number} head in view, from 0
 * @property {string} step the last stage that is shown; '': all
 * @property {{matrix: string, row: number, column: number} | null} pinned
 * @property {Record<string, number | string>} scene the state of the preset's picture
 */

/** The largest sizes that the page offers. */
export const kMost = { queries: 8, keys: 8, dims: 8 };

/** @returns {State} */
export const firstState = () => ({
  preset: 'playground',
  query: [
    [1, 0, 0.5],
    [0, 1.2, -0.4],
    [-0.8, 0.3, 1],
  ],
  key: [
    [1.5, 0, 0],
    [0, 1.4, 0.2],
    [-0.6, 0.5, 1.3],
    [0.4, -1, 0.8],
  ],
  value: [
    [1, 0],
    [0, 1],
    [-1, 0.5],
    [0.5, -1],
  ],
  memory: 'key-value',
  heads: 1,
  joined: false,
  score: 'scaled-dot',
  parameters: {},
  selection: 'soft',
  temperature: 1,
  alpha: 1.5,
  seed: 1,
  window: 'global',
  halfWidth: 1,
  sinks: 0,
  centres: null,
  W_p: [],
  v_p: [],
  causal: false,
  padding: 0,
  allowed: null,
  bias: null,
  once: false,
  convention: 'rows',
  queryNames: [],
  keyNames: [],
  random: 1,
  head: 0,
  step: '',
  pinned: null,
  scene: {},
});

/** The keys, for each kind of memory. @param {State} state */
export const keysOf = (state) => (state.memory === 'self' ? state.query : state.key);

/** @param {State} state */
export const valuesOf = (state) => (state.memory === 'key-value' ? state.value : keysOf(state));

/** @param {State} state */
export function sizesOf(state) {
  const [key, value] = [keysOf(state), valuesOf(state)];
  return {
    queries: state.query.length,
    keys: key.length,
    queryDim: state.query[0].length,
    keyDim: key[0].length,
    valueDim: value[0].length,
    heads: state.heads,
  };
}

/** @param {State} state @returns {{queries: string[], keys: string[]}} */
export function namesOf(state) {
  const { queries, keys } = sizesOf(state);
  const own = state.memory === 'self' ? state.queryNames : state.keyNames;
  const names = (/** @type {string[]} */ given, /** @type {number} */ count, /** @type {string} */ letter) =>
    Array.from({ length: count }, (_, i) => given[i] ?? letter + subscript(i + 1));
  return { queries: names(state.queryNames, queries, 'q'), keys: names(own, keys, 'k') };
}

/** An integer in a range, from any value in a link. @param {unknown} value @param {number} from @param {number} to */
export const within = (value, from, to) => Math.max(from, Math.min(to, Math.round(Number(value)) || 0));

/** @param {number} number */
export const subscript = (number) => String(number).replace(/\d/g, (digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)]);

/**
 * A matrix with other sizes. Existing numbers stay; new numbers are random.
 * @param {Matrix} matrix
 * @param {number} rows
 * @param {number} columns
 * @param {number} seed
 */
export function resized(matrix, rows, columns, seed) {
  const fresh = randomMatrix(seed, rows, columns);
  return fresh.map((line, r) => line.map((x, c) => matrix[r]?.[c] ?? x));
}

/**
 * A state with all that its choices need, in the right sizes: parameters, masks, a window.
 * @param {State} state
 * @param {import('../../lib/attention/index.js').ScoreInfo[]} scores
 * @returns {State}
 */
export function completed(state, scores) {
  // The parameters of the score.
  const sizes = sizesOf(state);
  const { queries, keys, heads } = sizes;
  const perHead = { queryDim: sizes.queryDim / heads, keyDim: sizes.keyDim / heads };
  /** @type {Record<string, Matrix>} */
  const parameters = {};
  for (const spec of scores.find(({ name }) => name === state.score)?.parameters ?? []) {
    const had = state.parameters[spec.name];
    // The page shows only Shaw's vectors for keys. The vectors for values, A_v, are left out.
    if ((!had && spec.optional) || spec.name === 'A_v') continue;
    const [rows, columns] = spec.shape.map((size) => countOf(size, perHead, keys, state.score));
    parameters[spec.name] = fitted(had, rows, columns, spec.name, state.random);
  }
  // The window and the masks.
  const isPredicted = state.window === 'local-p' && !state.centres;
  const W_p = isPredicted ? fitted(state.W_p, 2, perHead.queryDim, 'W_p', state.random) : [];
  return {
    ...state,
    parameters,
    W_p,
    v_p: isPredicted ? fitted(state.v_p, 1, 2, 'v_p', state.random) : [],
    centres: state.centres && [
      Array.from({ length: queries }, (_, i) => state.centres?.[0][i] ?? Math.min(i, keys - 1)),
    ],
    allowed: state.allowed && filled(state.allowed, queries, keys, 1),
    bias: state.bias && filled(state.bias, queries, keys, 0),
    padding: Math.min(state.padding, keys),
    head: Math.min(state.head, heads - 1),
  };
}

// Sizes that the page chooses: hidden units, T5's buckets, Shaw's distances.
const kHidden = 2;
const kBuckets = 3;
const kDistances = 5;

/**
 * A size of a parameter as a number.
 * @param {string} size its name in the engine's list
 * @param {{queryDim: number, keyDim: number}} dims
 * @param {number} keys
 * @param {string} score
 */
function countOf(size, { queryDim, keyDim }, keys, score) {
  const counts = {
    1: 1,
    queryDim,
    keyDim,
    'queryDim + keyDim': queryDim + keyDim,
    hidden: score === 't5' ? kBuckets : kHidden,
    '2r + 1': kDistances,
    '1 or 2': 2,
    'keys or more': keys,
  };
  return Math.max(1, Math.floor(/** @type {Record<string, number>} */ (counts)[size]));
}

/**
 * A parameter in the right size. A square W begins as the identity, so that `general` begins as the dot product.
 * @param {Matrix | undefined} matrix
 * @param {number} rows
 * @param {number} columns
 * @param {string} name
 * @param {number} seed
 */
function fitted(matrix, rows, columns, name, seed) {
  if (matrix?.length === rows && matrix[0].length === columns) return matrix;
  if (name === 'W' && rows === columns && !matrix) return identity(rows);
  if (rows === 1 && columns === 1) return matrix?.[0]?.[0] === undefined ? [[1]] : [[matrix[0][0]]];
  const own = [...name].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), seed);
  return resized(matrix ?? [], rows, columns, own);
}

/** @param {number} size @returns {Matrix} */
export const identity = (size) =>
  Array.from({ length: size }, (_, r) => Array.from({ length: size }, (_, c) => Number(r === c)));

/** A matrix with other sizes, whose new numbers are `rest`. @param {Matrix} matrix @param {number} rows @param {number} columns @param {number} rest */
export const filled = (matrix, rows, columns, rest) =>
  Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => matrix[r]?.[c] ?? rest));

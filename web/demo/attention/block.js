// A Transformer layer on a few words, for the lesson on the block. The engine computes attention and the matrix products. This
// module computes the sums, the norm and the relu between them. A matrix has a row for each word and d columns.

import { attention } from '../../lib/attention/index.js';
import { randomMatrix } from './random.js';

/** @typedef {{residual: boolean, norm: boolean, feed: boolean}} Parts which parts the block has */
/** @typedef {number[][]} Matrix */

const kWider = 2; // the inner size of the feed-forward block, in sizes of a word

/** x W', with W by rows: the engine's dot products of each row with each row of W. @param {Matrix} x @param {Matrix} W @returns {Promise<Matrix>} */
async function linear(x, W) {
  const { scores } = await attention({ query: x, key: W, score: 'dot', record: ['scores'] });
  return rowsOf(scores.data, W.length);
}

/** @param {ArrayLike<number>} data @param {number} width @returns {Matrix} */
const rowsOf = (data, width) =>
  Array.from({ length: data.length / width }, (_, i) => Array.from(data).slice(i * width, (i + 1) * width));

/** Each row with mean 0 and variance 1 (Ba, Kiros, Hinton 2016), without gain and bias. @param {Matrix} x @returns {Matrix} */
export function layerNorm(x) {
  return x.map((row) => {
    const mean = row.reduce((a, b) => a + b, 0) / row.length;
    const variance = row.reduce((sum, a) => sum + (a - mean) ** 2, 0) / row.length;
    return row.map((a) => (a - mean) / Math.sqrt(variance + 1e-5));
  });
}

/** @param {Matrix} a @param {Matrix} b */
const plus = (a, b) => a.map((row, i) => row.map((x, c) => x + b[i][c]));

/**
 * One layer: x + attention(norm(x)), then x + W_2 relu(W_1 norm(x)), without the parts that are off.
 * @param {Matrix} x
 * @param {Parts} parts
 * @param {number} layer from 0; each layer has its own feed-forward weights
 */
async function layerOf(x, { residual, norm, feed }, layer) {
  const normed = (/** @type {Matrix} */ y) => (norm ? layerNorm(y) : y);
  const add = (/** @type {Matrix} */ before, /** @type {Matrix} */ change) =>
    residual ? plus(before, change) : change;
  // Attention.
  const input = normed(x);
  const { output } = await attention({ query: input, memory: input, record: [] });
  const attended = add(x, rowsOf(output.data, x[0].length));
  if (!feed) return attended;
  // The feed-forward block.
  const d = x[0].length;
  const scale = Math.sqrt(1 / d);
  const inner = await linear(normed(attended), randomMatrix(200 + layer, kWider * d, d, scale));
  const relu = inner.map((row) => row.map((a) => Math.max(0, a)));
  return add(attended, await linear(relu, randomMatrix(300 + layer, d, kWider * d, scale)));
}

/** The words before each layer and after the last: depth + 1 matrices. @param {Matrix} x @param {Parts} parts @param {number} depth */
export async function layersOf(x, parts, depth) {
  const all = [x];
  for (let layer = 0; layer < depth; ++layer) all.push(await layerOf(all[layer], parts, layer));
  return all;
}

const norm2 = (/** @type {Matrix} */ x) => Math.sqrt(x.flat().reduce((sum, a) => sum + a * a, 0));

/** How much the words differ from their mean: |x - mean| / |x|; 0 if all words are the same vector. @param {Matrix} x */
export function ownPart(x) {
  const mean = x[0].map((_, c) => x.reduce((sum, row) => sum + row[c], 0) / x.length);
  return norm2(x.map((row) => row.map((a, c) => a - mean[c]))) / norm2(x);
}

/** The root of the mean square of the numbers. @param {Matrix} x */
export const size = (x) => norm2(x) / Math.sqrt(x.flat().length);

// Random weights, the same in every engine and every precision: 8-bit integers times a scale. So a float model and an
// int8 model hold the same numbers, and engines differ only in how they compute.

import { floats, seedOf, uniform } from '../random.mjs';
import { startPiece } from './architectures.mjs';

/** @typedef {import('./architectures.mjs').Architecture} Architecture */

/**
 * @typedef {object} Matrix weight (o, i) is scale * data[o * inputs + i]
 * @property {number} outputs
 * @property {number} inputs
 * @property {Int8Array} data -63 to 63
 * @property {number} scale a number of 32 bits
 */

// 7 bits: two 8-bit products then fit into 16 bits, where onnxruntime and others add them on processors without VNNI,
// and every engine computes the right result. The time is the same.
const kLargest = 63;

/**
 * @param {string} name seeds the numbers
 * @param {number} outputs
 * @param {number} inputs
 * @param {number} range of the weights
 * @returns {Matrix}
 */
export function matrix(name, outputs, inputs, range) {
  const next = uniform(seedOf(name));
  const data = new Int8Array(outputs * inputs);
  for (let i = 0; i < data.length; ++i) data[i] = Math.floor((2 * next() - 1) * kLargest + 0.5);
  return { outputs, inputs, data, scale: Math.fround(range / kLargest) };
}

/** y = x W' + b, in Glorot's range. @param {string} name @param {number} outputs @param {number} inputs */
export const linear = (name, outputs, inputs) => ({
  weight: matrix(name, outputs, inputs, Math.sqrt(6 / (outputs + inputs))),
  bias: bias(`${name}.bias`, outputs),
});

/** @param {string} name @param {number} outputs */
const bias = (name, outputs) => floats(outputs, 0.02, seedOf(name));

/** The weights of the products. @param {{outputs: number, inputs: number}} work */
export const productWeights = ({ outputs, inputs }) => linear('product', outputs, inputs).weight;

/** Variance 1 / d, so that rows times sqrt(d) have the variance of positions. @param {Architecture} shape */
export function embedding(shape) {
  const table = matrix('model.shared', shape.vocabulary, shape.d, Math.sqrt(3 / shape.d));
  table.data.fill(0, startPiece(shape) * shape.d);
  return table;
}

/** </s> is never chosen: every translation has the maximum length. @param {Architecture} shape */
export function logitsBias({ vocabulary }) {
  const values = bias('final_logits_bias', vocabulary);
  values[0] = -10000;
  return values;
}

/** [outputs, inputs]. @param {Matrix} matrix */
export function asFloats({ data, scale }) {
  const values = new Float32Array(data.length);
  for (let i = 0; i < values.length; ++i) values[i] = data[i] * scale;
  return values;
}

/**
 * [rows, cols] to [cols, rows], by blocks that fit the nearest cache.
 * @template {Int8Array | Float32Array} Numbers
 * @param {Numbers} data
 * @param {number} rows
 * @param {number} cols
 * @returns {Numbers}
 */
export function transposed(data, rows, cols) {
  const kBlock = 64;
  const out = data.slice();
  for (let top = 0; top < rows; top += kBlock) {
    for (let left = 0; left < cols; left += kBlock) {
      for (let row = top; row < Math.min(top + kBlock, rows); ++row) {
        for (let col = left; col < Math.min(left + kBlock, cols); ++col) out[col * rows + row] = data[row * cols + col];
      }
    }
  }
  return out;
}

/** Some rows of a matrix. @param {Matrix} matrix @param {number[]} ids @returns {Matrix} */
export function rowsOf({ inputs, data, scale }, ids) {
  const rows = new Int8Array(ids.length * inputs);
  ids.forEach((id, row) => rows.set(data.subarray(id * inputs, (id + 1) * inputs), row * inputs));
  return { outputs: ids.length, inputs, data: rows, scale };
}

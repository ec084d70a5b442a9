// The inputs that every engine computes on, and what shows that all compute the same.

import { kEnd } from './models/architectures.mjs';
import { floats } from './random.mjs';

/** @typedef {import('./workloads.mjs').Attention} Attention */

/** Queries, keys and values, each [heads, length, dim]. @param {Attention} work */
export function attentionInputs({ heads, length, dim }) {
  const [query, key, value] = [1, 2, 3].map((seed) => floats(heads * length * dim, 1, seed));
  return { query, key, value };
}

/** The mask that is added to scores in causal attention, [length, length]: 0 where a query sees a key, else -infinity. @param {number} length */
export function causalMask(length) {
  const mask = new Float32Array(length * length);
  for (let i = 0; i < length; ++i) mask.fill(-Infinity, i * length + i + 1, (i + 1) * length);
  return mask;
}

/** The parameters of additive scores, w_v' tanh(W_q q + W_k k), with as many hidden units as a head has columns. */
export function additiveParameters({ dim }) {
  const matrix = (seed) => ({ data: floats(dim * dim, 1 / Math.sqrt(dim), seed), shape: [dim, dim] });
  return { W_q: matrix(4), W_k: matrix(5), w_v: floats(dim, 1, 6) };
}

/** The left side of a product, [rows, inputs]: as in kernels_bench.cc. @param {{rows: number, inputs: number}} work */
export const productRows = ({ rows, inputs }) => floats(rows * inputs, 1, 7);

/** The input of an encoder, [length, d]: as in models_bench.cc. @param {number} length @param {number} d */
export const encoderRows = (length, d) => floats(length * d, 1, 8);

/** A sentence in ids that ends with </s>: as in models_bench.cc. @param {number} length @returns {number[]} */
export const sourceIds = (length) => Array.from({ length }, (_, i) => (i + 1 < length ? 7 + 13 * i : kEnd));

/** [heads, length, dim] to [length, heads, dim], or back with `heads` and `length` exchanged. */
export function sideBySide(data, heads, length, dim) {
  const out = new Float32Array(data.length);
  for (let h = 0; h < heads; ++h) {
    for (let i = 0; i < length; ++i) {
      out.set(data.subarray((h * length + i) * dim, (h * length + i + 1) * dim), (i * heads + h) * dim);
    }
  }
  return out;
}

/** Some numbers from all over a result. @param {Float32Array} output @returns {number[]} */
export function excerpt(output) {
  const kCount = 64;
  return Array.from({ length: kCount }, (_, i) => output[Math.floor(((i + 0.5) / kCount) * output.length)]);
}

/** The largest difference between two excerpts, relative for numbers above 1; NaN if either has a NaN. */
export const difference = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i]) / Math.max(1, Math.abs(b[i]))));

// Shared by the tests of the attention family.
import { rejection } from './support.js';

/** Random numbers in [-1, 1). A seed gives the same numbers in every run. */
export function randomNumbers(seed) {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 12)) >>> 8) * 2 ** -23 - 1;
  };
}

/** A random tensor. */
export function randomTensor(seed, ...shape) {
  const next = randomNumbers(seed);
  const data = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => next());
  return { data, shape };
}

/** The last two axes exchanged. */
export function transposed({ data, shape }) {
  const [rows, columns] = shape.slice(-2);
  const turned = data.slice();
  for (let at = 0; at < data.length; at += rows * columns) {
    for (let r = 0; r < rows; ++r) {
      for (let c = 0; c < columns; ++c) turned[at + c * rows + r] = data[at + r * columns + c];
    }
  }
  return { data: turned, shape: [...shape.slice(0, -2), columns, rows] };
}

/** Head h of a tensor [heads, ...]. */
export function headOf({ data, shape: [heads, ...rest] }, head) {
  const size = data.length / heads;
  return { data: data.slice(head * size, (head + 1) * size), shape: rest };
}

/** Rows [begin, end) of a tensor [rows, columns]. */
export const rowsOf = ({ data, shape: [, columns] }, begin, end) => ({
  data: data.slice(begin * columns, end * columns),
  shape: [end - begin, columns],
});

/** A tensor as plain numbers, for comparisons. */
export const plain = (tensor) => tensor && { data: Array.from(tensor.data), shape: tensor.shape };

export const largestDifference = (a, b) =>
  a.data.length === b.data.length && a.shape.join() === b.shape.join()
    ? a.data.reduce((largest, x, i) => Math.max(largest, Math.abs(x - b.data[i])), 0)
    : Infinity;

/** [code, where] of the QkvError that a promise must reject with. */
export async function complaint(promise) {
  const { name, code, where, message } = await rejection(promise);
  if (name !== 'QkvError' || message.length < 10) throw new Error(`${name}: ${message}`);
  return [code, where];
}

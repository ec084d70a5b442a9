// Writes model.safetensors (github.com/huggingface/safetensors): eight bytes of length, a header, then the tensors' bytes.

import { asFloats } from './weights.mjs';

/** @typedef {{name: string, dtype: 'F32' | 'I8', shape: number[], data: Float32Array | Int8Array}} Entry */

/**
 * A matrix in 8 bits is two tensors: X.weight, and X.weight_scale with a scale for each output.
 * @param {import('./marian-mt.mjs').Tensor} tensor
 * @param {'f32' | 'int8'} precision
 * @returns {Entry[]}
 */
function entries(tensor, precision) {
  const { name } = tensor;
  if ('vector' in tensor) return [{ name, dtype: 'F32', shape: [tensor.vector.length], data: tensor.vector }];
  const { outputs, inputs, data, scale } = tensor.matrix;
  if (precision === 'f32') return [{ name, dtype: 'F32', shape: [outputs, inputs], data: asFloats(tensor.matrix) }];
  const scales = new Float32Array(outputs).fill(scale);
  return [
    { name, dtype: 'I8', shape: [outputs, inputs], data },
    { name: `${name}_scale`, dtype: 'F32', shape: [outputs], data: scales },
  ];
}

/**
 * The file in parts, one after the other.
 * @param {Iterable<import('./marian-mt.mjs').Tensor>} tensors
 * @param {'f32' | 'int8'} precision
 * @returns {Uint8Array[]}
 */
export function safetensors(tensors, precision) {
  const all = [...tensors].flatMap((tensor) => entries(tensor, precision));
  const header = {};
  let at = 0;
  for (const { name, dtype, shape, data } of all) {
    header[name] = { dtype, shape, data_offsets: [at, (at += data.byteLength)] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = new BigUint64Array([BigInt(text.length)]);
  return [length, text, ...all.map(({ data }) => data)].map(
    (part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
  );
}

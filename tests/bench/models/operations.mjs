// How many operations the models' work has: two for a multiply-add.

import { translateOperations as recurrentOperations } from './rnn.mjs';

/** @typedef {import('./architectures.mjs').Architecture} Architecture */
/** @typedef {import('./architectures.mjs').Recurrent} Recurrent */

/**
 * Operations of one encoder layer's products: four projections, two of the feed-forward network, two of attention.
 * @param {Architecture} shape
 * @param {number} length
 */
const encoderLayer = ({ d, ffn }, length) => 2 * length * (4 * d * d + 2 * d * ffn) + 4 * length * length * d;

/** @param {Architecture} shape @param {number} length */
export const encoderOperations = (shape, length) => shape.encoderLayers * encoderLayer(shape, length);

/**
 * One sentence read, and as many pieces written one after the other.
 * @param {Architecture | Recurrent} shape
 * @param {number} length pieces in and pieces out
 * @param {number} outputs rows of the last product
 */
export function translateOperations(shape, length, outputs) {
  if ('recurrent' in shape) return recurrentOperations(shape, length, outputs);
  const { d, ffn, decoderLayers } = shape;
  const memory = decoderLayers * 2 * length * 2 * d * d;
  const products = decoderLayers * 2 * (6 * d * d + 2 * d * ffn) + 2 * d * outputs;
  const attended = decoderLayers * 4 * d * (length / 2 + length);
  return encoderOperations(shape, length) + memory + length * (products + attended);
}

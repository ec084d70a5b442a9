// The shapes of models that people bring, which `qkv/models` loads. Their weights are random.

import * as bert from './bert.mjs';
import * as gpt2 from './gpt2.mjs';
import { encoderOperations } from './operations.mjs';

/** @type {Record<string, bert.Bert | gpt2.Gpt2>} */
export const brought = {
  'bert-base': { kind: 'bert', layers: 12, d: 768, ffn: 3072, heads: 12, vocabulary: 30522, positions: 512 },
  'gpt2-small': { kind: 'gpt2', layers: 12, d: 768, heads: 12, vocabulary: 50257, positions: 1024 },
};

/** What writes the folder of each kind. */
export const kinds = { bert, gpt2 };

/** Operations of a BERT over texts of these lengths. @param {bert.Bert} shape @param {number[]} lengths */
export const encodeOperations = ({ layers, d, ffn }, lengths) =>
  lengths.reduce((sum, length) => sum + encoderOperations({ encoderLayers: layers, d, ffn }, length), 0);

/**
 * Operations of a GPT-2 that reads a prompt and writes pieces, the last of which is not read.
 * @param {gpt2.Gpt2} shape
 * @param {number} prompt
 * @param {number} pieces
 */
export function generateOperations({ layers, d, vocabulary }, prompt, pieces) {
  const rows = prompt + pieces - 1;
  const attended = (rows * (rows + 1)) / 2;
  return layers * (2 * rows * 12 * d * d + 4 * attended * d) + pieces * 2 * d * vocabulary;
}

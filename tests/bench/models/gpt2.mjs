// GPT-2's tensors under the names of its published folders, with random weights, and a tokenizer whose texts are bytes.

import { linear as weightsOf, matrix, transposed } from './weights.mjs';

/** @typedef {import('./marian-mt.mjs').Tensor} Tensor */

/**
 * @typedef {object} Gpt2
 * @property {'gpt2'} kind
 * @property {number} layers
 * @property {number} d
 * @property {number} heads
 * @property {number} vocabulary
 * @property {number} positions
 */

/** Names of a layer's products with their outputs and inputs; c_attn is queries, keys and values. */
export function productsOf({ d }, layer) {
  const name = `h.${layer}`;
  return {
    qkv: [`${name}.attn.c_attn`, 3 * d, d],
    out: [`${name}.attn.c_proj`, d, d],
    in: [`${name}.mlp.c_fc`, 4 * d, d],
    back: [`${name}.mlp.c_proj`, d, 4 * d],
  };
}

/** The pieces' table, which is the last product's too; the end's row is zero, so that it is never the likeliest. */
export function pieceTable({ vocabulary, d }) {
  const table = matrix('wte', vocabulary, d, 0.1);
  table.data.fill(0, (vocabulary - 1) * d);
  return table;
}
export const positionTable = ({ positions, d }) => matrix('wpe', positions, d, 0.1);

/** @param {string} name @param {number} d @returns {Generator<Tensor>} */
function* norm(name, d) {
  yield { name: `${name}.weight`, vector: new Float32Array(d).fill(1) };
  yield { name: `${name}.bias`, vector: new Float32Array(d) };
}

/** The file has [inputs, outputs]. @param {import('./weights.mjs').Matrix} matrix */
const turned = ({ outputs, inputs, data, scale }) => ({
  ...{ outputs: inputs, inputs: outputs, data: transposed(data, outputs, inputs), scale },
});

/** @param {Gpt2} shape @returns {Generator<Tensor>} */
export function* tensors(shape) {
  yield { name: 'wte.weight', matrix: pieceTable(shape) };
  yield { name: 'wpe.weight', matrix: positionTable(shape) };
  for (let layer = 0; layer < shape.layers; ++layer) {
    yield* norm(`h.${layer}.ln_1`, shape.d);
    yield* norm(`h.${layer}.ln_2`, shape.d);
    for (const [name, outputs, inputs] of Object.values(productsOf(shape, layer))) {
      const { weight, bias } = weightsOf(name, outputs, inputs);
      yield { name: `${name}.weight`, matrix: turned(weight) };
      yield { name: `${name}.bias`, vector: bias };
    }
  }
  yield* norm('ln_f', shape.d);
}

/** config.json. @param {Gpt2} shape */
export const config = (shape) => ({
  architectures: ['GPT2LMHeadModel'],
  model_type: 'gpt2',
  n_embd: shape.d,
  n_layer: shape.layers,
  n_head: shape.heads,
  n_positions: shape.positions,
  vocab_size: shape.vocabulary,
  activation_function: 'gelu_new',
  bos_token_id: shape.vocabulary - 1,
  eos_token_id: shape.vocabulary - 1,
});

const kEnd = '<|endoftext|>';

/** GPT-2's letters for bytes: printable ones are themselves, the others have letters from 256 on, in order. */
function byteLetters() {
  const isPrintable = (byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : 256 + others++));
}

/** The pieces: bytes first, then made-up ones that no merge makes, the end last. @param {Gpt2} shape */
export function piecesOf({ vocabulary }) {
  const letters = byteLetters();
  const madeUp = Array.from({ length: vocabulary - letters.length - 1 }, (_, i) => `Ġp${i}`);
  return [...letters, ...madeUp, kEnd];
}

/** The tokenizer's files. @param {Gpt2} shape @returns {Record<string, string>} */
export const tokenizerFiles = (shape) => ({
  'vocab.json': JSON.stringify(Object.fromEntries(piecesOf(shape).map((piece, id) => [piece, id]))),
  'merges.txt': '#version: 0.2\n',
});

/** A prompt of so many pieces, and their ids: one letter is one piece. @param {number} count */
export function makePrompt(count) {
  const text = Array.from({ length: count }, (_, i) => 'the cat sat on a mat '[(7 * i) % 21]).join('');
  return { text, ids: [...new TextEncoder().encode(text)] };
}

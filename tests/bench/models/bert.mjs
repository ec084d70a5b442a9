// BERT's tensors under the names of its published folders, with random weights, and a WordPiece vocabulary of made-up words.

import { uniform, seedOf } from '../random.mjs';
import { linear as weightsOf, matrix } from './weights.mjs';

/** @typedef {import('./marian-mt.mjs').Tensor} Tensor */

/**
 * @typedef {object} Bert
 * @property {'bert'} kind
 * @property {number} layers
 * @property {number} d
 * @property {number} ffn
 * @property {number} heads
 * @property {number} vocabulary
 * @property {number} positions
 */

const kSpecial = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
const kTypes = 2;

/** The tables that are summed, each row's variance a third: their sum goes through a norm. @param {Bert} shape */
export function tables({ vocabulary, positions, d }) {
  const table = (name, rows) => ({ name: `embeddings.${name}_embeddings.weight`, ...matrix(name, rows, d, 1) });
  return [table('word', vocabulary), table('position', positions), table('token_type', kTypes)];
}

/** Names of a layer's products with their outputs and inputs. @param {Bert} shape @param {number} layer */
export function productsOf({ d, ffn }, layer) {
  const name = `encoder.layer.${layer}`;
  return {
    query: [`${name}.attention.self.query`, d, d],
    key: [`${name}.attention.self.key`, d, d],
    value: [`${name}.attention.self.value`, d, d],
    out: [`${name}.attention.output.dense`, d, d],
    in: [`${name}.intermediate.dense`, ffn, d],
    back: [`${name}.output.dense`, d, ffn],
  };
}

/** @param {string} name @param {number} d @returns {Generator<Tensor>} */
function* norm(name, d) {
  yield { name: `${name}.weight`, vector: new Float32Array(d).fill(1) };
  yield { name: `${name}.bias`, vector: new Float32Array(d) };
}

/** @param {Bert} shape @returns {Generator<Tensor>} */
export function* tensors(shape) {
  const [words, ...rest] = tables(shape);
  yield { name: words.name, matrix: words };
  yield* rest.map(({ name, ...table }) => ({ name, matrix: table }));
  yield* norm('embeddings.LayerNorm', shape.d);
  for (let layer = 0; layer < shape.layers; ++layer) {
    for (const [name, outputs, inputs] of Object.values(productsOf(shape, layer))) {
      const { weight, bias } = weightsOf(name, outputs, inputs);
      yield { name: `${name}.weight`, matrix: weight };
      yield { name: `${name}.bias`, vector: bias };
    }
    yield* norm(`encoder.layer.${layer}.attention.output.LayerNorm`, shape.d);
    yield* norm(`encoder.layer.${layer}.output.LayerNorm`, shape.d);
  }
}

/** config.json. @param {Bert} shape */
export const config = (shape) => ({
  architectures: ['BertModel'],
  model_type: 'bert',
  hidden_size: shape.d,
  num_hidden_layers: shape.layers,
  num_attention_heads: shape.heads,
  intermediate_size: shape.ffn,
  vocab_size: shape.vocabulary,
  max_position_embeddings: shape.positions,
  type_vocab_size: kTypes,
  hidden_act: 'gelu',
});

/** A word for each number: letters in base 26 behind a first one, so that none begins another. @param {number} id */
const wordOf = (id) =>
  `w${[17576, 676, 26, 1].map((unit) => 'abcdefghijklmnopqrstuvwxyz'[Math.floor(id / unit) % 26]).join('')}`;

/** The tokenizer's files. @param {Bert} shape @returns {Record<string, string>} */
export function tokenizerFiles({ vocabulary }) {
  const words = Array.from({ length: vocabulary - kSpecial.length }, (_, i) => wordOf(i + kSpecial.length));
  return {
    'vocab.txt': `${[...kSpecial, ...words].join('\n')}\n`,
    'tokenizer_config.json': JSON.stringify({ tokenizer_class: 'BertTokenizer', do_lower_case: true }),
  };
}

/**
 * A text of so many pieces, its first and last piece among them, and their ids.
 * @param {Bert} shape
 * @param {number} count
 * @param {number} number another one for each
 */
export function makeText({ vocabulary }, count, number) {
  const next = uniform(seedOf(`text ${count} ${number}`));
  const first = kSpecial.length;
  const words = Array.from({ length: count - 2 }, () => first + Math.floor(next() * (vocabulary - first)));
  const [start, end] = ['[CLS]', '[SEP]'].map((piece) => kSpecial.indexOf(piece));
  return { text: words.map(wordOf).join(' '), ids: [start, ...words, end] };
}

// The tensors of a recurrent model under qkv's names: Luong's model (2015), stacked LSTMs on both sides, the score
// "general", global, with input feeding. web/docs/recurrent.md has the layout.

import { embedding, matrix, linear as weightsOf, logitsBias } from './weights.mjs';

/** @typedef {import('./architectures.mjs').Recurrent} Recurrent */
/** @typedef {import('./marian-mt.mjs').Tensor} Tensor */

/** The gates of a cell: input, forget, candidate, output. */
const kGates = 4;

/**
 * One matrix in Glorot's range. @param {string} name @param {number} outputs @param {number} inputs @returns {Tensor}
 */
const alone = (name, outputs, inputs) => ({
  name,
  matrix: matrix(name, outputs, inputs, Math.sqrt(6 / (outputs + inputs))),
});

/** A stack of LSTMs, as PyTorch's nn.LSTM names it. @param {string} name @param {number} layers @param {number} d @returns {Generator<Tensor>} */
function* lstm(name, layers, d) {
  for (let layer = 0; layer < layers; ++layer) {
    for (const side of ['ih', 'hh']) {
      const { weight, bias } = weightsOf(`${name}.${side}_l${layer}`, kGates * d, d);
      yield { name: `${name}.weight_${side}_l${layer}`, matrix: weight };
      yield { name: `${name}.bias_${side}_l${layer}`, vector: bias };
    }
  }
}

/** @param {Recurrent} shape @returns {Generator<Tensor>} */
export function* tensors(shape) {
  const { encoderLayers, decoderLayers, d } = shape;
  yield { name: 'embedding.weight', matrix: embedding(shape) };
  yield { name: 'output.bias', vector: logitsBias(shape) };
  yield* lstm('encoder.rnn', encoderLayers, d);
  yield* lstm('decoder.rnn', decoderLayers, d);
  yield alone('decoder.rnn.C', kGates * d, d);
  yield alone('decoder.attention.W_a', d, d);
  yield alone('decoder.W_c', d, 2 * d);
}

/** config.json. @param {Recurrent} shape */
export const config = (shape) => ({
  model_type: 'qkv-rnn',
  variant: 'luong',
  cell: 'lstm',
  score: 'general',
  window: 'global',
  input_feeding: true,
  d_model: shape.d,
  encoder_layers: shape.encoderLayers,
  decoder_layers: shape.decoderLayers,
  vocab_size: shape.vocabulary,
  max_position_embeddings: 512,
  pad_token_id: shape.vocabulary - 1,
  decoder_start_token_id: shape.vocabulary - 1,
  eos_token_id: 0,
});

/**
 * One sentence read, and as many pieces written one after the other.
 * @param {Recurrent} shape
 * @param {number} length pieces in and pieces out
 * @param {number} outputs rows of the last product
 */
export function translateOperations({ encoderLayers, decoderLayers, d }, length, outputs) {
  const cell = 2 * 2 * kGates * d * d; // the input and the state
  const fed = 2 * kGates * d * d;
  const attended = 2 * d * d + 4 * length * d + 2 * 2 * d * d; // W_a of the query, both products, W_c
  return length * (encoderLayers * cell + decoderLayers * cell + fed + attended + 2 * d * outputs);
}

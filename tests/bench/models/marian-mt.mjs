// The tensors of a model under MarianMT's names.

import { embedding, linear as weightsOf, logitsBias } from './weights.mjs';

/** @typedef {import('./architectures.mjs').Architecture} Architecture */
/** @typedef {{name: string, matrix: import('./weights.mjs').Matrix} | {name: string, vector: Float32Array}} Tensor */

/** @param {string} name @param {number} outputs @param {number} inputs @returns {Generator<Tensor>} */
function* linear(name, outputs, inputs) {
  const { weight, bias } = weightsOf(name, outputs, inputs);
  yield { name: `${name}.weight`, matrix: weight };
  yield { name: `${name}.bias`, vector: bias };
}

/** @param {string} name @param {number} d @returns {Generator<Tensor>} */
function* norm(name, d) {
  yield { name: `${name}.weight`, vector: new Float32Array(d).fill(1) };
  yield { name: `${name}.bias`, vector: new Float32Array(d) };
}

/** @param {string} name @param {number} d */
function* attention(name, d) {
  for (const part of ['q_proj', 'k_proj', 'v_proj', 'out_proj']) yield* linear(`${name}.${part}`, d, d);
  yield* norm(`${name}_layer_norm`, d);
}

/** @param {string} name @param {Architecture} shape */
function* feedForward(name, { d, ffn }) {
  yield* linear(`${name}.fc1`, ffn, d);
  yield* linear(`${name}.fc2`, d, ffn);
  yield* norm(`${name}.final_layer_norm`, d);
}

/** @param {Architecture} shape @returns {Generator<Tensor>} */
export function* tensors(shape) {
  yield { name: 'model.shared.weight', matrix: embedding(shape) };
  yield { name: 'final_logits_bias', vector: logitsBias(shape) };
  for (let i = 0; i < shape.encoderLayers; ++i) {
    const name = `model.encoder.layers.${i}`;
    yield* attention(`${name}.self_attn`, shape.d);
    yield* feedForward(name, shape);
  }
  for (let i = 0; i < shape.decoderLayers; ++i) {
    const name = `model.decoder.layers.${i}`;
    yield* attention(`${name}.self_attn`, shape.d);
    yield* attention(`${name}.encoder_attn`, shape.d);
    yield* feedForward(name, shape);
  }
}

/** config.json. @param {Architecture} shape */
export const config = (shape) => ({
  architectures: ['MarianMTModel'],
  model_type: 'marian',
  vocab_size: shape.vocabulary,
  d_model: shape.d,
  encoder_layers: shape.encoderLayers,
  decoder_layers: shape.decoderLayers,
  encoder_attention_heads: shape.heads,
  decoder_attention_heads: shape.heads,
  encoder_ffn_dim: shape.ffn,
  decoder_ffn_dim: shape.ffn,
  activation_function: 'relu',
  scale_embedding: true,
  max_position_embeddings: 512,
  pad_token_id: shape.vocabulary - 1,
  eos_token_id: 0,
  decoder_start_token_id: shape.vocabulary - 1,
});

/** generation_config.json: greedy, and no translation longer than that. @param {number} [longest] </s> included */
export const generationConfig = (longest) => ({ num_beams: 1, ...(longest && { max_length: longest }) });

// The Transformer that the page Lab trains, its task and its batches. This file does not know any engine.

import { uniform } from '../random.mjs';

/** Letters of a source, and of its target. */
export const kLetters = 12;
/** Pairs in a batch: as many as have at most 800 rows of both sides, `</s>` included, as on the page. */
export const kBatch = 30;

export const shape = { d: 48, heads: 4, ffn: 96, layers: 1 };
export const kRate = 0.003;

/** Pieces of the vocabulary: the letters, `</s>`, `<unk>`, `<pad>`. */
export const kPieces = 11;

const kAlphabet = [...'abcdefgh'];
const kPairs = 200 * kBatch; // whole batches, so that every update has as many rows

/** Sources with their letters in reverse order as targets. @returns {[string, string][]} */
export function reversals() {
  const next = uniform(9);
  const letters = () => Array.from({ length: kLetters }, () => kAlphabet[Math.floor(next() * kAlphabet.length)]);
  return Array.from({ length: kPairs }, letters).map((source) => [source.join(''), source.toReversed().join('')]);
}

/** As `qkv/train` takes it. */
export const config = {
  preset: 'small',
  model: {
    d_model: shape.d,
    encoder_layers: shape.layers,
    decoder_layers: shape.layers,
    encoder_attention_heads: shape.heads,
    decoder_attention_heads: shape.heads,
    encoder_ffn_dim: shape.ffn,
    decoder_ffn_dim: shape.ffn,
    max_position_embeddings: 128,
    normalize_before: true,
    add_final_layer_norm: true,
    dropout: 0,
    attention_dropout: 0,
    activation_dropout: 0,
  },
  batch: { tokens: 800, longest: 64, joined: [1] },
  optimiser: { smoothing: 0 },
  schedule: { kind: 'constant', peak: kRate, warmup: 1 },
  seed: 1,
};

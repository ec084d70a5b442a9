// A training run of a second: a very small Transformer, and pairs of which the target is the source backwards.

/** @type {Record<string, number>} the fields of a run's `model` */
export const tinyModel = {
  d_model: 24,
  encoder_layers: 1,
  decoder_layers: 1,
  encoder_attention_heads: 3,
  decoder_attention_heads: 3,
  encoder_ffn_dim: 32,
  decoder_ffn_dim: 32,
};

const kWords = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** The 49 pairs, as lines of SOURCE<TAB>TARGET. */
export const tinyPairs = kWords.flatMap((x) => kWords.map((y) => `${x} ${y}\t${y} ${x}\n`)).join('');

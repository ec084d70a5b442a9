// The models that the Lab trains, as the configs of `qkv/train`.

/** @typedef {import('../../lib/train/index.js').TrainerConfig} TrainerConfig */

/**
 * @typedef {object} ModelChoice the reader's choice of a model, which is in the address
 * @property {keyof typeof kinds} kind
 * @property {number} width of a state, or of a vector of a Transformer
 * @property {number} [layers] of each side
 * @property {number} [heads] of a Transformer
 * @property {'dot' | 'general' | 'concat' | 'location'} [score] of Luong's
 * @property {'global' | 'local-m' | 'local-p'} [window] of Luong's
 * @property {'hard'} [selection] of Luong's with a global window: only one place is read; left out: soft
 * @property {boolean} [positions] of a Transformer; left out: yes
 * @property {boolean} [scaled] of a Transformer: whether scores are divided by the square root of a head's width; left out: yes
 */

/** The names of the kinds of models. */
export const kinds = {
  plain: 'Recurrent, without attention',
  bahdanau: 'Bahdanau',
  luong: 'Luong',
  transformer: 'Transformer',
  pointer: 'Pointer network',
};

export const scores = /** @type {const} */ (['dot', 'general', 'concat', 'location']);
export const windows = /** @type {const} */ (['global', 'local-m', 'local-p']);

/** The default choice of each kind. @type {Record<string, ModelChoice>} */
export const kDefaults = {
  plain: { kind: 'plain', width: 48 },
  bahdanau: { kind: 'bahdanau', width: 48 },
  luong: { kind: 'luong', width: 48, score: 'general', window: 'global' },
  transformer: { kind: 'transformer', width: 48, layers: 1, heads: 4 },
  pointer: { kind: 'pointer', width: 48 },
};

const kHalfWidth = 3; // the half width of local windows, in pieces

/** @param {ModelChoice} choice @returns {Record<string, number | boolean | string>} fields of config.json */
function fieldsOf(choice) {
  // The sizes that all models have.
  const { kind, width, layers = 1, heads = 1 } = choice;
  const sizes = {
    d_model: width,
    encoder_layers: layers,
    decoder_layers: layers,
    max_position_embeddings: 128,
    dropout: 0,
  };
  // The fields of a Transformer.
  if (kind === 'transformer') {
    return {
      ...sizes,
      encoder_attention_heads: heads,
      decoder_attention_heads: heads,
      encoder_ffn_dim: 2 * width,
      decoder_ffn_dim: 2 * width,
      normalize_before: true, // learns faster at high learning rates (Xiong et al. 2020)
      add_final_layer_norm: true,
      attention_dropout: 0,
      activation_dropout: 0,
      scale_attention: choice.scaled ?? true,
      position_frequencies: choice.positions === false ? 'none' : 'paper',
    };
  }
  // The fields of a recurrent model.
  const recurrent = { ...sizes, d_embedding: width, scale_embedding: false };
  if (kind !== 'luong') return recurrent;
  const { score = 'general', window = 'global', selection = 'soft' } = choice;
  return { ...recurrent, score, window, selection, ...(window !== 'global' && { half_width: kHalfWidth }) };
}

/**
 * The config for the training of a choice. After the warm-up the learning rate is constant, so that the reader can change it.
 * @param {ModelChoice} choice
 * @param {{seed: number, rate: number, longest?: number}} how
 * @returns {TrainerConfig}
 */
export function configOf(choice, { seed, rate, longest = 64 }) {
  return {
    preset: /** @type {any} */ (choice.kind === 'transformer' ? 'small' : `rnn-${choice.kind}`),
    model: fieldsOf(choice),
    batch: { tokens: 800, longest, joined: [1] },
    optimiser: { smoothing: 0 },
    schedule: { kind: 'constant', peak: rate, warmup: 40 },
    seed,
  };
}

/** The parts of the name of a choice. @param {ModelChoice} choice @returns {string[]} */
function namePartsOf({ kind, layers = 1, heads = 1, width, score, window, selection, positions, scaled }) {
  const facts = {
    plain: ['no attention'],
    bahdanau: ['Bahdanau'],
    luong: ['Luong', score ?? '', window ?? '', selection ?? 'soft'],
    pointer: ['pointer network'],
    transformer: [
      'Transformer',
      layers === 1 ? '1 layer' : `${layers} layers`,
      heads === 1 ? '1 head' : `${heads} heads`,
      positions === false ? 'no positions' : 'positions',
      scaled === false ? 'not divided' : 'divided by √d',
    ],
  }[kind];
  return [...facts, `width ${width}`];
}

/** The name of a choice. @param {ModelChoice} choice */
export const nameOf = (choice) => namePartsOf(choice).join(', ');

/** Names of models side by side: only the parts in which they differ. @param {ModelChoice[]} choices */
export function namesOf(choices) {
  const names = choices.map(namePartsOf);
  return names.map((own, i) => {
    const others = names.filter((_, j) => j !== i).flat();
    const different = own.filter((part) => !others.includes(part));
    return (different.length > 0 ? different : own).join(', ');
  });
}

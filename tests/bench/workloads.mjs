// The work that every engine gets, and its number of operations: two for a multiply-add; softmax, norms and biases are
// not counted. This file does not know any engine.

import { architectures } from './models/architectures.mjs';
import { brought, encodeOperations, generateOperations } from './models/brought.mjs';
import { kBatch, kLetters, kPieces, shape as lab } from './models/lab.mjs';
import { encoderOperations, translateOperations } from './models/operations.mjs';

/** @typedef {'f32' | 'int8'} Precision of weights, and of what they are multiplied by */

/**
 * @typedef {object} Attention attention with scaled dot-product scores, softmax(Q K' / sqrt(d)) V, or with additive scores
 * @property {'attention'} kind
 * @property {string} name
 * @property {'f32'} precision
 * @property {'scaled-dot' | 'additive'} score
 * @property {number} heads
 * @property {number} dim of a head
 * @property {number} length number of queries and of keys
 * @property {boolean} causal whether query i sees the keys 0 to i alone
 * @property {number} operations of the two products Q K' and P V, without masked keys. Additive scores need more; they get the same
 *   number, because only times are compared
 *
 * @typedef {object} Window attention in which a query sees itself, the keys just before it and the first keys, the sinks
 * @property {'window'} kind
 * @property {string} name
 * @property {'f32'} precision
 * @property {number} heads
 * @property {number} dim of a head
 * @property {number} length number of queries and of keys
 * @property {number} width keys in the window
 * @property {number} sinks
 * @property {number} operations of the two products with the keys that are seen
 *
 * @typedef {object} Product x W', [rows, inputs] by [outputs, inputs]; one row is a matrix-vector product
 * @property {'product'} kind
 * @property {string} name
 * @property {Precision} precision
 * @property {number} rows
 * @property {number} inputs
 * @property {number} outputs
 * @property {number} operations
 *
 * @typedef {object} Encoder the layers of an encoder over given rows; interventions: each row of weights is changed
 * @property {'encoder' | 'interventions'} kind
 * @property {string} name
 * @property {Precision} precision
 * @property {string} model of models/architectures.mjs
 * @property {number} length
 * @property {number} operations
 *
 * @typedef {object} Translate greedy translation, as many pieces out as in, </s> counted on both sides
 * @property {'translate-ids' | 'translate-text' | 'translate-sentence' | 'translate-first' | 'translate-cold' | 'translate-arriving'} kind
 * ids to ids; text to text with everything that lies between; the same with a model that is made anew of bytes that are there, in an
 * engine that runs (first) or that is started too (cold); from the last bytes of a model that comes over the network, in an engine that is
 * started meanwhile (arriving)
 * @property {string} name
 * @property {Precision} precision
 * @property {string} model
 * @property {boolean} shortlist whether few pieces may be written or all of the vocabulary
 * @property {number} outputs pieces that may be written
 * @property {number} length pieces of a sentence
 * @property {number} sentences in one call
 * @property {boolean} isOneText whether the sentences are one text, in which the engine finds them
 * @property {number} operations
 *
 * @typedef {object} Lines many sentences of one length, each to as many pieces, from the whole vocabulary
 * @property {'translate-lines'} kind
 * @property {string} name
 * @property {Precision} precision
 * @property {string} model
 * @property {number} beam
 * @property {number} length pieces of a sentence
 * @property {number} sentences
 * @property {number} operations
 *
 * @typedef {object} Encode texts to the vectors of their pieces, by a model that people bring
 * @property {'encode'} kind
 * @property {string} name
 * @property {Precision} precision
 * @property {string} model of models/brought.mjs
 * @property {number[]} lengths pieces of each text
 * @property {number} operations
 *
 * @typedef {object} Generate a prompt, and pieces written behind it greedily
 * @property {'generate'} kind
 * @property {string} name
 * @property {Precision} precision
 * @property {string} model of models/brought.mjs
 * @property {number} prompt pieces
 * @property {number} pieces that are written; 1: what is measured is the prompt
 * @property {'repetitive' | 'ordinary'} [text] that is written, where drafts from repetitions are measured
 * @property {number} [temperature] of that text: random weights repeat themselves the more, the lower it is
 * @property {number} operations
 *
 * @typedef {object} Explain how much each head of a model matters for a sentence, every head off in turn
 * @property {'explain'} kind
 * @property {string} name
 * @property {Precision} precision
 * @property {string} folder of the model
 * @property {number} length pieces of the source
 * @property {string} source
 * @property {string} target
 * @property {number} operations of the encoder for each of its heads, and of the decoder for all heads
 *
 * @typedef {object} Train updates of the page Lab's Transformer: the loss, its gradient and Adam
 * @property {'train'} kind
 * @property {string} name
 * @property {Precision} precision
 * @property {number} updates
 * @property {number} rows of both sides in a batch
 * @property {number} operations three times those of the forward pass
 * @property {number} tolerance how far the engines' first losses may differ: the weights that they share have 16 bits
 *
 * @typedef {object} Limit what bounds every kernel on this machine, in one host and build
 * @property {'limit'} kind
 * @property {string} name
 * @property {Precision} precision
 * @property {'product' | 'peak'} limit a product of 512 x 512 x 512, or multiply-adds from registers alone
 *
 * @typedef {Attention | Window | Product | Encoder | Translate | Lines | Encode | Generate | Explain | Train | Limit} Work
 */

const kHeads = 8;
const kDim = 64;

/** @param {'scaled-dot' | 'additive'} score @param {number} length @param {boolean} [causal] @returns {Attention} */
const attention = (score, length, causal = false) => ({
  kind: 'attention',
  name: `attention ${score} ${length}${causal ? ' causal' : ''}`,
  precision: 'f32',
  score,
  heads: kHeads,
  dim: kDim,
  length,
  causal,
  operations: 4 * (causal ? (length * (length + 1)) / 2 : length * length) * kDim * kHeads,
});

/** @param {number} length @param {number} width @param {number} sinks @returns {Window} */
const window = (length, width, sinks) => ({
  kind: 'window',
  name: `attention window ${width} and ${sinks} sinks ${length}`,
  precision: 'f32',
  ...{ heads: kHeads, dim: kDim, length, width, sinks },
  operations: 4 * length * (width + sinks) * kDim * kHeads,
});

/** @param {Precision} precision @returns {(shape: [number, number, number]) => Product} */
const product =
  (precision) =>
  ([rows, inputs, outputs]) => ({
    kind: 'product',
    name: `product ${rows} x ${inputs} x ${outputs} ${precision}`,
    ...{ precision, rows, inputs, outputs, operations: 2 * rows * inputs * outputs },
  });

/** @param {Precision} precision @param {number} length @returns {Encoder} */
const encoder = (precision, length) => ({
  kind: 'encoder',
  name: `encoder-stack base ${length} ${precision}`,
  ...{ precision, length, model: 'base-encoder' },
  operations: encoderOperations(architectures['base-encoder'], length),
});

/** @param {Precision} precision @param {number} length @returns {Encoder} */
const interventions = (precision, length) => ({
  ...encoder(precision, length),
  kind: 'interventions',
  name: `encoder-stack base ${length} ${precision} with every row changed`,
});

/** The bundled model, whose 64 heads are those of four layers of its encoder and two of its decoder. */
const kBundled = { encoderLayers: 4, decoderLayers: 2, d: 256, ffn: 1024, heads: 8, vocabulary: 8000 };

/** A sentence of 10 pieces. A head of the encoder needs the encoder again, and each head all of the decoder. */
const headImportance = () => {
  const { encoderLayers, decoderLayers, heads } = kBundled;
  const length = 10;
  const all = translateOperations(kBundled, length, kBundled.vocabulary);
  const decoder = all - encoderOperations(kBundled, length);
  return /** @type {Explain} */ ({
    kind: 'explain',
    name: `head importance en-fr ${length} pieces`,
    ...{ precision: 'int8', folder: 'web/models/en-fr', length },
    source: 'My brother lives in a big white house.',
    target: 'Mon frère vit dans une grande maison blanche.',
    operations: encoderLayers * heads * all + 2 * decoderLayers * heads * decoder,
  });
};

/** The size of a shortlist. A looked-up one has about as many pieces. */
const kShortlist = 1000;

/** Pieces of a sentence, and sentences. */
const kSentences = { bulk: [17, 200], paragraph: [20, 23], sentence: [20, 23] };

/**
 * @param {'ids' | 'text' | 'bulk' | 'paragraph' | 'sentence' | 'first' | 'cold' | 'arriving'} call bulk: text to text, many sentences in
 * one call; paragraph: 300 words as one text; sentence: until its first sentence is there
 * @param {string} model
 * @param {Precision} precision
 * @param {boolean} shortlist
 * @returns {Translate}
 */
function translate(call, model, precision, shortlist) {
  const [length, sentences] = kSentences[call] ?? [32, 1];
  const shape = architectures[model];
  const outputs = shortlist ? kShortlist : shape.vocabulary;
  return {
    kind: call === 'bulk' || call === 'paragraph' ? 'translate-text' : `translate-${call}`,
    isOneText: call === 'paragraph' || call === 'sentence',
    name: `translate ${call} ${model} ${precision} ${shortlist ? 'shortlist' : 'vocabulary'}`,
    ...{ precision, model, shortlist, outputs, length, sentences },
    operations: (call === 'sentence' ? 1 : sentences) * translateOperations(shape, length, outputs),
  };
}

/**
 * Those of floats are fewer, and there to compare what the engines write.
 * @param {Precision} precision
 * @param {number} sentences
 * @returns {(beam: number) => Lines}
 */
const lines = (precision, sentences) => (beam) => {
  const model = 'tiny';
  const length = 17;
  const shape = architectures[model];
  const encoder = encoderOperations(shape, length);
  const decoder = translateOperations(shape, length, shape.vocabulary) - encoder;
  return {
    kind: 'translate-lines',
    name: `translate ${sentences} lines ${model} ${precision} beam ${beam}`,
    ...{ precision, model, beam, length, sentences },
    operations: sentences * (encoder + beam * decoder),
  };
};

/** @param {Precision} precision @param {string} title @param {number[]} lengths @returns {Encode} */
const encode = (precision, title, lengths) => ({
  kind: 'encode',
  name: `encode bert-base ${title} ${precision}`,
  ...{ precision, lengths, model: 'bert-base' },
  operations: encodeOperations(brought['bert-base'], lengths),
});

/** Sixteen texts, of 16 to 256 pieces. */
const kMixed = Array.from({ length: 16 }, (_, i) => 16 * (1 + ((7 * i) % 16)));

/** @param {number} pieces @returns {Generate} */
const generate = (pieces) => ({
  kind: 'generate',
  name: `generate gpt2-small int8 ${pieces === 1 ? 'prompt 128' : `prompt 128 and ${pieces} pieces`}`,
  ...{ precision: 'int8', model: 'gpt2-small', prompt: 128, pieces },
  operations: generateOperations(brought['gpt2-small'], 128, pieces),
});

/** @param {'repetitive' | 'ordinary'} text @param {number} temperature @returns {Generate} */
const drafted = (text, temperature) => ({
  ...generate(128),
  name: `generate gpt2-small int8 ${text} text`,
  ...{ text, temperature },
});

/** @type {Limit[]} */
export const limits = [
  { kind: 'limit', name: 'limit peak', precision: 'f32', limit: 'peak' },
  { kind: 'limit', name: 'limit product', precision: 'f32', limit: 'product' },
  { kind: 'limit', name: 'limit peak int8', precision: 'int8', limit: 'peak' },
];

/** @type {[number, number, number][]} */
const productShapes = [
  [512, 512, 512],
  [128, 512, 2048],
  [32, 512, 512],
  [1, 512, 2048],
  [1, 256, 32000],
];

/** @returns {Train} */
function training() {
  const updates = 10;
  const length = kLetters + 1; // with </s>
  const forward = translateOperations(
    { ...lab, encoderLayers: lab.layers, decoderLayers: lab.layers },
    length,
    kPieces,
  );
  return {
    kind: 'train',
    name: 'train lab transformer',
    ...{ precision: 'f32', updates, rows: kBatch * 2 * length, tolerance: 0.01 },
    operations: updates * 3 * kBatch * forward,
  };
}

/** @type {Work[]} */
export const workloads = [
  ...limits,
  ...[128, 512, 1024, 2048, 4096].map((length) => attention('scaled-dot', length)),
  ...[1024, 4096].map((length) => attention('scaled-dot', length, true)),
  ...[128, 512].map((length) => attention('additive', length)),
  ...[0, 4].map((sinks) => window(4096, 256, sinks)),
  ...productShapes.map(product('f32')),
  ...productShapes.map(product('int8')),
  ...[32, 128].map((length) => encoder('f32', length)),
  ...[32, 128].map((length) => encoder('int8', length)),
  ...[32, 128].map((length) => interventions('f32', length)),
  ...[true, false].map((shortlist) => translate('ids', 'tiny', 'f32', shortlist)),
  ...[true, false].map((shortlist) => translate('ids', 'tiny', 'int8', shortlist)),
  ...[true, false].map((shortlist) => translate('ids', 'base', 'int8', shortlist)),
  ...[true, false].map((shortlist) => translate('ids', 'recurrent', 'int8', shortlist)),
  ...[true, false].map((shortlist) => translate('text', 'tiny', 'int8', shortlist)),
  ...[true, false].map((shortlist) => translate('text', 'base', 'int8', shortlist)),
  ...['firefox-base', 'base-memory'].map((model) => translate('text', model, 'int8', true)),
  ...['f32', 'int8'].flatMap((precision) => [
    ...[128, 512].map((length) => encode(precision, String(length), [length])),
    encode(precision, 'mixed', kMixed),
  ]),
  ...[1, 64].map(generate),
  ...[drafted('repetitive', 0.2), drafted('ordinary', 0.4)],
  translate('bulk', 'tiny', 'int8', true),
  ...[1, 4].map(lines('int8', 2000)),
  ...[1, 4].map(lines('f32', 100)),
  ...['sentence', 'paragraph'].map((call) => translate(call, 'tiny', 'int8', true)),
  translate('first', 'tiny', 'int8', true),
  translate('cold', 'tiny', 'int8', true),
  translate('arriving', 'tiny', 'int8', true),
  headImportance(),
  training(),
];

/** The attention whose memory is measured. */
export const longest = attention('scaled-dot', 16384);

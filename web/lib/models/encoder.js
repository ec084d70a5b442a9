// Encoder-only models: vectors of a text's pieces, and the results of a task head.
import { inputText, invalid, readFields, wholeNumber } from '../base/arguments.js';
import { folderSource } from '../loading/folder-source.js';
import { openModel } from './open-model.js';
import { OneSided, changes, checkKind } from './one-sided.js';

/** @typedef {import('../hosting/model-reference.js').ModelReference} ModelReference */
/** @typedef {import('../loading/folder-source.js').AnyModelOption} AnyModelOption */
/** @typedef {import('./open-model.js').LoadOptions} LoadOptions */
/**
 * `signal` aborts the call, with its reason. `interventions`: changes to the model's attention (docs/interventions.md).
 * @typedef {{signal?: AbortSignal | null, interventions?: import('./one-sided.js').Intervention[]}} CallOptions
 */

/**
 * @typedef {object} EncoderInfo
 * @property {'encoder'} kind
 * @property {string} name the last part of its URL, or 'custom'
 * @property {'none' | 'masked' | 'sequence' | 'tokens' | 'answer'} head the task of its head
 * @property {string[]} labels of heads for sequences or tokens
 * @property {string} mask the mask piece; '' if there is none
 * @property {number} parameters the number of its weights
 * @property {number} bytes of its weights in memory
 * @property {number} dModel the width of its layers
 * @property {number} layers
 * @property {number} heads in each layer
 * @property {number} vocabularySize
 * @property {number} maxLength the most pieces of a text
 * @property {'baseline' | 'relaxed' | 'threads' | 'custom'} engine the build of the engine that runs
 * @property {number} threads how many threads compute
 * @property {boolean} worker whether it runs in a worker
 */

/**
 * A text as pieces. A pair of texts is one list: the pieces of the first text, then those of the second.
 * @typedef {object} Pieces
 * @property {string[]} pieces as the vocabulary writes them: '##ing', 'Ġworld'
 * @property {Int32Array} ids
 * @property {Int32Array} begin offset of each piece in its text, in UTF-16 units
 * @property {Int32Array} end
 * @property {Int32Array} of the text of each piece: 0, 1, or -1 for special pieces
 * @property {boolean} truncated whether the text had more pieces than the model has positions. Then its end was not read
 */

/** @typedef {{shape: number[], data: Float32Array}} Tensor */
/** @typedef {Pieces & {vectors: Tensor, mean: Float32Array}} EncodedText `vectors` [pieces, dModel]: the output of the last layer; `mean`: the mean of the vectors */
/** @typedef {Pieces & {encoderSelf: Tensor, interventions?: import('./one-sided.js').Intervention[]}} EncoderTrace
 *   `encoderSelf` [layers, heads, pieces, pieces]; `interventions`: the changes to the model, if any */
/** @typedef {{piece: string, id: number, probability: number}} MaskGuess */
/**
 * @typedef {{label: string, score: number}} LabelScore `score` is a probability, or the output of a model that
 * returns a number
 */
/** @typedef {{piece: string, begin: number, end: number, label: string, score: number}} Tag */
/** @typedef {{text: string, begin: number, end: number, score: number}} FoundAnswer */

const kInternal = Symbol('internal');
const kText = ['signal', 'second', 'interventions'];

/**
 * BERT, DistilBERT, RoBERTa and similar models, from folders as they are published.
 *
 *     const encoder = await Encoder.load('/models/bert/');
 *     await encoder.fillMask('The cat sat on the [MASK].');
 */
export class Encoder extends OneSided {
  /** The minifier renames classes; this is the name that users see. @override */
  static name = 'Encoder';
  /** The model and its engine. @readonly @type {Readonly<EncoderInfo>} */
  info;

  /**
   * @private use Encoder.load()
   * @param {symbol} key
   * @param {ModelReference} reference
   * @param {EncoderInfo} info
   */
  constructor(key, reference, info) {
    if (key !== kInternal) throw new TypeError('Illegal constructor: use Encoder.load()');
    super(reference);
    this.info = Object.freeze(info);
  }

  /**
   * @param {AnyModelOption} model
   * @param {LoadOptions} [options]
   * @returns {Promise<Encoder>} rejects with a QkvError that says what is wrong with the folder
   */
  static async load(model, options) {
    const { reference, info } = await openModel(folderSource(model), options);
    return Encoder.on(reference, info);
  }

  /**
   * @param {ModelReference} reference
   * @param {any} info
   * @internal
   */
  static on(reference, info) {
    checkKind(info.kind, 'encoder', () => reference.release());
    return new Encoder(kInternal, reference, info);
  }

  /**
   * The output of the last layer for each piece, and the mean of these vectors.
   * @param {string} text
   * @param {CallOptions & {second?: string}} [options] `second`: the second text of a pair
   * @returns {Promise<EncodedText>}
   */
  async encode(text, options) {
    const { signal, second, interventions } = readFields(options, 'encode', kText);
    const { vectors, ...pieces } = await this.#one(text, second, { hidden: true, ...changes(interventions) }, signal);
    const {
      shape: [rows, d],
      data,
    } = vectors;
    const mean = new Float32Array(d);
    for (let i = 0; i < data.length; ++i) mean[i % d] += data[i] / rows;
    return { ...pieces, vectors, mean };
  }

  /**
   * Every attention weight of one pass over a text.
   * @param {string} text
   * @param {CallOptions & {second?: string}} [options]
   * @returns {Promise<EncoderTrace>}
   */
  async trace(text, options) {
    const { signal, second, interventions } = readFields(options, 'trace', kText);
    const changed = changes(interventions);
    const trace = await this.#one(text, second, { trace: true, ...changed }, signal);
    return changed.interventions ? { ...trace, interventions: JSON.parse(changed.interventions) } : trace;
  }

  /**
   * The likeliest pieces for each mask (`info.mask`) of a text.
   * @param {string} text
   * @param {CallOptions & {count?: number}} [options] `count`: the number of guesses for each mask; default: 5
   * @returns {Promise<{index: number, guesses: MaskGuess[]}[]>} for each mask its index among the pieces, and the
   *   guesses, best first
   */
  async fillMask(text, options) {
    const { signal, count = 5, interventions } = readFields(options, 'fillMask', ['signal', 'count', 'interventions']);
    this.#needs('masked');
    // The engine returns guesses for each mask, as log-probabilities.
    const { masks } = await this.#one(
      text,
      undefined,
      { head: true, ...changes(interventions) },
      signal,
      wholeNumber(count, 1, 1000, 'count'),
    );
    return masks.map(
      (
        /** @type {import('../engine/models/glue.js').WasmGuesses & {index: number}} */ {
          index,
          pieces,
          ids,
          logProbs,
        },
      ) => ({
        index,
        guesses: pieces.map((piece, i) => ({ piece, id: ids[i], probability: Math.exp(logProbs[i]) })),
      }),
    );
  }

  /**
   * The probabilities of the model's labels for the whole text.
   * @param {string} text
   * @param {CallOptions & {second?: string}} [options]
   * @returns {Promise<LabelScore[]>} all labels, the best first
   */
  async classify(text, options) {
    const { signal, second, interventions } = readFields(options, 'classify', kText);
    this.#needs('sequence');
    const { scores, pieces } = await this.#one(text, second, { head: true, ...changes(interventions) }, signal);
    if (pieces.length === 0) throw invalid('text', 'it has no pieces, and the tokenizer adds none');
    const labelled = this.info.labels.map((label, i) => ({ label, score: scores[i] }));
    return labelled.toSorted((a, b) => b.score - a.score);
  }

  /**
   * The likeliest of the model's labels for each piece.
   * @param {string} text
   * @param {CallOptions} [options]
   * @returns {Promise<Tag[]>} for each piece of the text its likeliest label
   */
  async tag(text, options) {
    const { signal, interventions } = readFields(options, 'tag', ['signal', 'interventions']);
    this.#needs('tokens');
    const { pieces, begin, end, of, scores } = await this.#one(
      text,
      undefined,
      { head: true, ...changes(interventions) },
      signal,
    );
    const { labels } = this.info;
    const tags = pieces.map((/** @type {string} */ piece, /** @type {number} */ i) => {
      const row = scores.subarray(i * labels.length, (i + 1) * labels.length);
      const score = Math.max(...row);
      return { piece, begin: begin[i], end: end[i], label: labels[row.indexOf(score)], score };
    });
    return tags.filter((/** @type {Tag} */ _, /** @type {number} */ i) => of[i] === 0);
  }

  /**
   * Finds the answers to a question in a text. An answer that shares a piece with a better one is left out.
   * @param {string} question
   * @param {string} context
   * @param {CallOptions & {count?: number, maxLength?: number}} [options] `count`: the most answers, default:
   *   1; `maxLength`: the most pieces of an answer, default: 15
   * @returns {Promise<FoundAnswer[]>} the best first
   */
  async answer(question, context, options) {
    const {
      signal,
      count = 1,
      maxLength = 15,
      interventions,
    } = readFields(options, 'answer', ['signal', 'count', 'maxLength', 'interventions']);
    // Check the arguments.
    this.#needs('answer');
    wholeNumber(maxLength, 1, 1000, 'maxLength');
    const kept = wholeNumber(count, 1, 1000, 'count');
    // The engine returns pieces of the context. Their spans give the text of the answer.
    const { begin, end, answers } = await this.#one(
      question,
      context,
      { head: true, ...changes(interventions) },
      signal,
      kept,
      maxLength,
    );
    return answers.map((/** @type {{first: number, last: number, score: number}} */ { first, last, score }) => ({
      text: context.slice(begin[first], end[last]),
      begin: begin[first],
      end: end[last],
      score,
    }));
  }

  /** @param {EncoderInfo['head']} head */
  #needs(head) {
    if (this.info.head === head) return;
    throw invalid('config.json', `the model's head is for "${this.info.head}", not "${head}"`);
  }

  /**
   * @param {string} text
   * @param {string | undefined} second
   * @param {object} options
   * @param {AbortSignal | null | undefined} signal
   * @param {number} [count]
   * @param {number} [longest]
   */
  async #one(text, second, options, signal, count = 1, longest = 1) {
    const inputs = [[inputText(text), second === undefined ? null : inputText(second, 'second')]];
    const [result] = await this.call('encode', { inputs, options, reading: { count, longest } }, signal);
    return result.pieces.length > 0 ? result : { ...this.#nothing(), ...result };
  }

  /** The result for a text without pieces: an empty one, if the tokenizer adds no special pieces. */
  #nothing() {
    const { dModel, layers, heads } = this.info;
    const tensor = (/** @type {number[]} */ ...shape) => ({ shape, data: new Float32Array(0) });
    const lists = { masks: [], answers: [], scores: new Float32Array(0) };
    return { ...lists, vectors: tensor(0, dModel), encoderSelf: tensor(layers, heads, 0, 0) };
  }
}

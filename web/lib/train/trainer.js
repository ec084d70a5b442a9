import { toPublicError } from '../base/errors.js';
import { inputText, invalid, maxLength as longest, readFields, wholeNumber } from '../base/arguments.js';
import { hasWebWorker } from '../base/runtime.js';
import { makeTrace } from '../api/trace.js';
import { givenWasm } from '../base/wasm-argument.js';
import { wellFormed } from '../base/well-formed.js';
import { baseFolder } from '../base/package-file.js';
import { trainUrl } from './assets.js';
import { Training, trainingEngine } from './training.js';

/** @typedef {import('./train-engine.js').Checkpoint} Checkpoint */
/** @typedef {import('../api/trace.js').Trace} Trace */
/** @typedef {import('../engine/glue.js').AttentionGradient} AttentionGradient */
/** @typedef {{source: string, target: string}} SentencePair */

/**
 * The config of a run, as in the config file of `qkv train` (web/docs/training.md), without the names of files,
 * `precision`, `wire` and the intervals of reports. All fields have defaults. An unknown field is an error.
 * @typedef {object} TrainerConfig
 * @property {'tiny' | 'small' | 'base'} [preset] the base config; default: 'small'
 * @property {Record<string, number | boolean | string>} [model] fields of config.json that differ from the preset's
 * @property {{tokens?: number, longest?: number, window_bytes?: number, joined?: number[], accumulate?: number}} [batch]
 * @property {{source?: number, target?: number}} [subwords]
 * @property {{beta1?: number, beta2?: number, epsilon?: number, decay?: number, clip?: number, smoothing?: number}} [optimiser]
 * @property {{kind?: 'inverse-sqrt' | 'cosine' | 'constant', peak?: number, warmup?: number, floor?: number}} [schedule]
 * @property {{from?: number, every?: number}} [average]
 * @property {{pairs?: number}} [measure] the most pairs of `dev` that `measure()` uses
 * @property {number} [steps] the steps of the whole run, for the cosine schedule and for the begin of the average
 * @property {number} [seed]
 */

/**
 * @typedef {object} TrainerOptions
 * @property {Iterable<[string, string] | SentencePair>} pairs the training data: sources and their targets
 * @property {Iterable<[string, string] | SentencePair>} [dev] pairs for measuring, which are not trained on
 * @property {{'vocab.json': string, 'source.spm': Uint8Array, 'target.spm'?: Uint8Array}} [vocabulary] files of a
 *   model folder; default: the characters of the pairs
 * @property {TrainerConfig} [config]
 * @property {Checkpoint} [checkpoint] of a trainer with the same pairs, vocabulary and config: training continues from it
 * @property {AbortSignal} [signal] ends the creation
 * @property {boolean} [worker] whether it trains in its own worker; default: yes in browsers, no in Node. Without a
 *   worker it trains in this thread, one step at a time
 * @property {string | URL | ArrayBuffer | WebAssembly.Module} [wasm] another build that trains
 * @property {string | URL} [baseUrl] as in `Translator.create`
 */

const kInternal = Symbol('internal');

// The options of each call, by name.
const kCreate = ['pairs', 'dev', 'vocabulary', 'config', 'checkpoint', 'signal', 'worker', 'wasm', 'baseUrl'];
const kVocabulary = ['vocab.json', 'source.spm', 'target.spm'];

/**
 * Trains a Transformer or a recurrent model on the device. The model can be used at any time during training.
 *
 *     const trainer = await Trainer.create({ pairs: [['abc', 'cba'], ...] });
 *     await trainer.run({ steps: 1000, onProgress: ({ step, loss }) => console.log(step, loss) });
 *     await trainer.translate('xyz');
 */
export class Trainer extends Training {
  /** The minifier renames classes; this is the name that users see. @override */
  static name = 'Trainer';
  /** The model's sizes. @readonly @type {Readonly<import('../engine/glue.js').WasmModelInfo>} */
  info;

  /**
   * @private use Trainer.create()
   * @param {symbol} key
   * @param {import('../worker/endpoint.js').Endpoint} engine
   * @param {import('../engine/glue.js').WasmModelInfo} info
   */
  constructor(key, engine, info) {
    super(engine);
    if (key !== kInternal) throw new TypeError('Illegal constructor: use Trainer.create()');
    this.info = Object.freeze(info);
  }

  /**
   * Creates a model with random weights, or continues from a checkpoint.
   * @param {TrainerOptions} options
   * @returns {Promise<Trainer>} rejects with a QkvError that names the option, or the signal's reason
   */
  static async create(options) {
    // Read the arguments.
    const given = readFields(options, 'Trainer.create', kCreate);
    const { pairs, dev, config = {}, checkpoint, signal, worker = hasWebWorker(), wasm } = given;
    signal?.throwIfAborted();
    const vocabulary = readFields(given.vocabulary, 'vocabulary', kVocabulary);
    const data = {
      pairs: lines(pairs, 'pairs'),
      dev: dev && lines(dev, 'dev'),
      vocab: vocabulary['vocab.json'],
      sourceSpm: vocabulary['source.spm'],
      targetSpm: vocabulary['target.spm'],
    };
    // Start an engine for this trainer alone. Close it if the model cannot be created.
    const base = baseFolder(given.baseUrl);
    const from = wasm === undefined ? trainUrl(base) : givenWasm(wasm);
    const engine = trainingEngine(worker, base);
    try {
      const args = { wasm: { build: 'train', from }, config: JSON.stringify(config), data, checkpoint };
      const { info } = await engine.call('create', args, { signal });
      return new Trainer(kInternal, engine, info);
    } catch (error) {
      engine.close();
      throw toPublicError(error);
    }
  }

  /**
   * The model's output for a text, with its current weights. A run waits meanwhile.
   * @param {string} text one sequence
   * @param {{signal?: AbortSignal | null, beam?: number, maxLength?: number}} [options] beam: default 1, greedy;
   *   maxLength: the most pieces to write
   * @returns {Promise<string>}
   */
  async translate(text, options) {
    const { signal, beam = 1, maxLength } = readFields(options, 'translate', ['signal', 'beam', 'maxLength']);
    wholeNumber(beam, 1, 64, 'beam');
    const how = { locale: 'en', split: false, longest: 0, beam, maxLength: longest(maxLength) };
    const [part] = await this.call('translate', { text: inputText(text), ...how }, signal);
    return part.translation;
  }

  /**
   * The attention weights of the model for its own translation, or for a given target.
   * @param {string | SentencePair} input
   * @param {{signal?: AbortSignal | null, maxLength?: number}} [options] maxLength: as in `translate`
   * @returns {Promise<Trace>}
   */
  async trace(input, options) {
    const { signal, maxLength } = readFields(options, 'trace', ['signal', 'maxLength']);
    const isText = typeof input === 'string';
    const pair = isText ? { source: input } : readFields(input, 'trace', ['source', 'target']);
    const target = isText ? null : inputText(pair.target, 'target');
    const args = { source: inputText(pair.source, 'source'), target, beam: 1, maxLength: longest(maxLength) };
    const { bytes: _, ...model } = this.info;
    return makeTrace(await this.call('trace', args, signal), /** @type {any} */ ({ name: 'trained here', ...model }));
  }

  /**
   * The gradient of the loss -log p(target | source) with respect to each attention weight, for the current model. Nothing is
   * learned. Below 0: a larger weight would make the target more probable. Through the softmax the weights of a row change
   * together: the gradient of a score is weight · (gradient − Σ weight · gradient), with the sum over its row. The loss is
   * that of training: it counts all pieces, also the one that begins every target and is never written.
   * @param {SentencePair} pair a text longer than the config's `batch.longest` is cut
   * @returns {Promise<AttentionGradient>} in the shapes of a trace of the pair; the loss in nats
   */
  async attentionGradient(pair) {
    const { source, target } = readFields(pair, 'attentionGradient', ['source', 'target']);
    return this.call('gradient', { source: inputText(source, 'source'), target: inputText(target, 'target') });
  }

  /**
   * The files of the model's folder, for `Translator.create({ model: { files } })`. The weights have 16 bits. They are those
   * of the average, if there is one.
   * @returns {Promise<Record<string, Uint8Array<ArrayBuffer>>>}
   */
  files() {
    return this.call('files', {});
  }
}

/**
 * @param {Iterable<[string, string] | SentencePair>} pairs
 * @param {string} where
 * @returns {string} a line for each pair; line ends and tabs in a text become spaces
 */
function lines(pairs, where) {
  const clean = (/** @type {unknown} */ text) => {
    if (typeof text !== 'string') throw invalid(where, 'a pair is two texts');
    return wellFormed(text).replace(/[\t\r\n]/g, ' ');
  };
  if (typeof pairs?.[Symbol.iterator] !== 'function') {
    throw invalid(where, 'give an iterable of [source, target]');
  }
  return Array.from(pairs, (pair) => {
    const [source, target] = Array.isArray(pair) ? pair : [pair?.source, pair?.target];
    return `${clean(source)}\t${clean(target)}\n`;
  }).join('');
}

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
 * The config of a run, as in the file of `qkv train` (web/docs/training.md), without the fields of files,
 * `precision`, `wire` and the intervals of reports. All fields have defaults; an unknown field is an error.
 * @typedef {object} TrainerConfig
 * @property {'tiny' | 'small' | 'base'} [preset] the base config; default: 'small'
 * @property {Record<string, number | boolean | string>} [model] fields of config.json that differ from the preset's
 * @property {{tokens?: number, longest?: number, window_bytes?: number, joined?: number[], accumulate?: number}} [batch]
 * @property {{source?: number, target?: number}} [subwords]
 * @property {{beta1?: number, beta2?: number, epsilon?: number, decay?: number, clip?: number, smoothing?: number}} [optimiser]
 * @property {{kind?: 'inverse-sqrt' | 'cosine' | 'constant', peak?: number, warmup?: number, floor?: number}} [schedule]
 * @property {{from?: number, every?: number}} [average]
 * @property {{pairs?: number}} [measure] the most pairs of `dev` that `measure()` uses
 * @property {number} [steps] of the whole run: used by the cosine schedule and by the average's share
 * @property {number} [seed]
 */

/**
 * @typedef {object} TrainerOptions
 * @property {Iterable<[string, string] | SentencePair>} pairs the training data: sources and their targets
 * @property {Iterable<[string, string] | SentencePair>} [dev] pairs for measuring, which are not trained on
 * @property {{'vocab.json': string, 'source.spm': Uint8Array, 'target.spm'?: Uint8Array}} [vocabulary] a model folder's;
 *   default: the characters of the pairs
 * @property {TrainerConfig} [config]
 * @property {Checkpoint} [checkpoint] of a trainer with the same pairs, vocabulary and config, to continue from
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
 * Trains a Transformer or a recurrent model on the device, and can be used at any moment.
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
   * Makes a model with random weights, or continues from a checkpoint.
   * @param {TrainerOptions} options
   * @returns {Promise<Trainer>} rejects with a QkvError that names the option, or the signal's reason
   */
  static async create(options) {
    // The arguments of the caller.
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
    // An engine of its own, which is closed if the model cannot be made.
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
   * The model's output for a text, with the current weights; a run waits for it.
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
   * The attention weights of the model while it writes `target`, or its own translation.
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
   * How the loss -log p(target | source) changes with each attention weight, as the weights are now: d loss / d weight. Nothing is
   * learned. Below 0: a larger weight would make the target more probable. Through the softmax the weights of a row
   * change together: the gradient of a score is weight · (gradient − Σ weight · gradient) over its row. The loss is that of training:
   * over all pieces, also the one that begins every target and is never written.
   * @param {SentencePair} pair a side longer than the config's `batch.longest` is cut there
   * @returns {Promise<AttentionGradient>} of the shapes of a trace of the pair; the loss in nats
   */
  async attentionGradient(pair) {
    const { source, target } = readFields(pair, 'attentionGradient', ['source', 'target']);
    return this.call('gradient', { source: inputText(source, 'source'), target: inputText(target, 'target') });
  }

  /**
   * The model's folder, as `Translator.create({ model: { files } })` takes it: weights of 16 bits, of the average if
   * there is one.
   * @returns {Promise<Record<string, Uint8Array<ArrayBuffer>>>}
   */
  files() {
    return this.call('files', {});
  }
}

/**
 * @param {Iterable<[string, string] | SentencePair>} pairs
 * @param {string} where
 * @returns {string} one line each; line ends and tabs in a text become spaces
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

/// <reference lib="esnext.disposable" preserve="true" />
import { createEndpoint } from '../worker/endpoint.js';
import { QkvError, domException, toPublicError } from '../base/errors.js';
import { inRange, inputText, invalid, maxLength as longest, readFields, wholeNumber } from '../base/given.js';
import { hasWebWorker } from '../base/runtime.js';
import { makeTrace } from '../api/trace.js';
import { givenWasm } from '../base/given-wasm.js';
import { wellFormed } from '../base/well-formed.js';
import { baseFolder } from '../base/package-file.js';
import { trainUrl, trainWorkerUrl } from './assets.js';

/** @typedef {import('./train-engine.js').Progress} Progress */
/** @typedef {import('../api/trace.js').Trace} Trace */
/** @typedef {{source: string, target: string}} SentencePair */

/**
 * The config of a run, as in the file of `qkv train` (web/docs/training.md), without the fields of files,
 * `precision` and the intervals of reports. All fields have defaults; an unknown field is an error.
 * @typedef {object} TrainerConfig
 * @property {'tiny' | 'small' | 'base'} [preset] the base config; left out: 'small'
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
 * The state from which a trainer continues: numbers as JSON; weights, moments and averages as safetensors. It can be
 * stored in IndexedDB.
 * @typedef {{place: string, tensors: Uint8Array}} Checkpoint
 */

/**
 * @typedef {object} TrainerOptions
 * @property {Iterable<[string, string] | SentencePair>} pairs the training data: sources and their targets
 * @property {Iterable<[string, string] | SentencePair>} [dev] pairs for measuring, which are not trained on
 * @property {{'vocab.json': string, 'source.spm': Uint8Array, 'target.spm'?: Uint8Array}} [vocabulary] a model folder's;
 *   left out: the characters of the pairs
 * @property {TrainerConfig} [config]
 * @property {Checkpoint} [checkpoint] of a trainer with the same pairs, vocabulary and config, to continue from
 * @property {AbortSignal} [signal] ends the creation
 * @property {boolean} [worker] whether it trains in its own worker; left out: yes in browsers, no in Node. Without a
 *   worker it trains in this thread, one step at a time
 * @property {string | URL | ArrayBuffer | WebAssembly.Module} [wasm] another build that trains
 * @property {string | URL} [baseUrl] as in `Translator.create`
 */

/**
 * @typedef {object} RunOptions
 * @property {number} [steps] updates to make; left out: until it is paused or aborted
 * @property {number} [interval] milliseconds between two reports; left out: 250
 * @property {(progress: Progress) => void} [onProgress]
 * @property {AbortSignal | null} [signal] ends the run, with its reason
 */

const kInternal = Symbol('internal');

// The options of each call, by name.
const kCreate = ['pairs', 'dev', 'vocabulary', 'config', 'checkpoint', 'signal', 'worker', 'wasm', 'baseUrl'];
const kVocabulary = ['vocab.json', 'source.spm', 'target.spm'];
const kRun = ['steps', 'interval', 'onProgress', 'signal'];

/**
 * Trains a Transformer on the device, and can be used at any moment.
 *
 *     const trainer = await Trainer.create({ pairs: [['abc', 'cba'], ...] });
 *     await trainer.run({ steps: 1000, onProgress: ({ step, loss }) => console.log(step, loss) });
 *     await trainer.translate('xyz');
 */
export class Trainer {
  /** The minifier renames classes; this is the name that users see. */
  static name = 'Trainer';
  /** The model's sizes. @readonly @type {Readonly<import('../engine/glue.js').WasmModelInfo>} */
  info;
  #engine;
  #life = new AbortController();
  /** @type {AbortController | null} of the run that is going on */
  #running = null;

  /**
   * @private use Trainer.create()
   * @param {symbol} key
   * @param {import('../worker/endpoint.js').Endpoint} engine
   * @param {import('../engine/glue.js').WasmModelInfo} info
   */
  constructor(key, engine, info) {
    if (key !== kInternal) throw new TypeError('Illegal constructor: use Trainer.create()');
    this.#engine = engine;
    this.info = Object.freeze(info);
  }

  /**
   * Makes a model with random weights, or continues from a checkpoint.
   * @param {TrainerOptions} options
   * @returns {Promise<Trainer>} rejects with a QkvError that names the option, or the signal's reason
   */
  static async create(options) {
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
    const base = baseFolder(given.baseUrl);
    const from = wasm === undefined ? trainUrl(base) : givenWasm(wasm);
    const engine = createEndpoint(worker, {
      script: () => trainWorkerUrl(base),
      handlers: () => import('./train-engine.js').then(({ createHandlers }) => createHandlers()),
    });
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
   * Trains, until the steps are made, `pause()` is called or the signal aborts. One run at a time.
   * @param {RunOptions} [options]
   * @returns {Promise<Progress | undefined>} of the last report; undefined if no step was made. Rejects with the
   *   signal's reason, with a QkvError if the loss is no longer a number, and with AbortError after `destroy()`
   */
  async run(options) {
    const { steps = Infinity, interval = 250, onProgress, signal } = readFields(options, 'run', kRun);
    if (this.#running) throw invalid('', 'the trainer is running: pause it first');
    inRange(steps, 0, Infinity, 'steps');
    inRange(interval, 0, Infinity, 'interval');
    this.#running = new AbortController();
    const { signal: paused } = this.#running;
    /** @type {Progress | undefined} */
    let last;
    try {
      for (let left = steps; left > 0 && !paused.aborted;) {
        signal?.throwIfAborted();
        const asked = { steps: Math.min(left, 1e9), milliseconds: interval };
        const progress = /** @type {Progress} */ (await this.#call('train', asked, signal));
        left -= progress.steps;
        last = progress;
        onProgress?.(progress);
      }
      return last;
    } finally {
      this.#running = null;
    }
  }

  /** Ends the current run after its step; `run` then resolves. Without a run it does nothing. */
  pause() {
    if (!this.#running || this.#running.signal.aborted) return;
    this.#running.abort();
    this.#call('pause', {}).catch(() => {}); // the run reports an engine that has ended
  }

  /**
   * Takes effect from the next step on.
   * @param {number} rate the schedule's peak
   */
  async setLearningRate(rate) {
    inRange(rate, 0, 10, 'rate');
    await this.#call('rate', { rate });
  }

  /**
   * The loss on the pairs of `dev`, with the average of the weights if there is one.
   * @returns {Promise<number>} nats for each piece
   */
  measure() {
    return this.#call('measure', {});
  }

  /**
   * The model's output for a text, with the current weights; a run waits for it.
   * @param {string} text one sequence
   * @param {{signal?: AbortSignal | null, beam?: number, maxLength?: number}} [options] beam: left out, 1: greedy;
   *   maxLength: the most pieces to write
   * @returns {Promise<string>}
   */
  async translate(text, options) {
    const { signal, beam = 1, maxLength } = readFields(options, 'translate', ['signal', 'beam', 'maxLength']);
    wholeNumber(beam, 1, 64, 'beam');
    const how = { locale: 'en', split: false, longest: 0, beam, maxLength: longest(maxLength) };
    const [part] = await this.#call('translate', { text: inputText(text), ...how }, signal);
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
    return makeTrace(await this.#call('trace', args, signal), /** @type {any} */ ({ name: 'trained here', ...model }));
  }

  /**
   * The state with which another trainer with the same pairs, vocabulary and config continues, bit for bit.
   * @returns {Promise<Checkpoint>}
   */
  checkpoint() {
    return this.#call('save', {});
  }

  /**
   * The model's folder, as `Translator.create({ model: { files } })` takes it: weights of 16 bits, of the average if
   * there is one.
   * @returns {Promise<Record<string, Uint8Array<ArrayBuffer>>>}
   */
  files() {
    return this.#call('files', {});
  }

  /**
   * The size of the engine's memory.
   * @returns {Promise<number>} bytes
   */
  memoryBytes() {
    return this.#call('memory', {});
  }

  /** Frees everything. Running calls reject with an AbortError, later ones with an InvalidStateError. */
  destroy() {
    if (this.#life.signal.aborted) return;
    this.#life.abort();
    this.#engine.close();
  }

  [Symbol.dispose]() {
    this.destroy();
  }

  async [Symbol.asyncDispose]() {
    this.destroy();
  }

  /**
   * @param {string} method
   * @param {object} args
   * @param {AbortSignal | null} [signal]
   * @returns {Promise<any>}
   */
  async #call(method, args, signal) {
    if (this.#life.signal.aborted) {
      throw domException('InvalidStateError', new QkvError('DESTROYED', 'the trainer has been destroyed'));
    }
    try {
      return await this.#engine.call(method, args, { signal: signal ?? undefined });
    } catch (error) {
      if (!this.#life.signal.aborted) throw toPublicError(error);
      throw domException('AbortError', new QkvError('DESTROYED', 'the trainer was destroyed while this was running'));
    }
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

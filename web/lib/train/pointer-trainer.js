import { inRange, invalid, readFields, wholeNumber } from '../base/arguments.js';
import { baseFolder } from '../base/package-file.js';
import { givenWasm } from '../base/wasm-argument.js';
import { hasWebWorker } from '../base/runtime.js';
import { toPublicError } from '../base/errors.js';
import { trainUrl } from './assets.js';
import { Training, trainingEngine } from './training.js';

/** @typedef {import('./train-engine.js').Checkpoint} Checkpoint */
/** @typedef {readonly (number | readonly number[])[]} Points numbers, or rows of numbers of one length */

/**
 * A set of points, and its target: the places of some points, counted from 0, in the right order.
 * @typedef {{points: Points, order: readonly number[]}} PointSet
 */

/**
 * @typedef {object} PointerConfig
 * @property {number} [width] the size of a state, from 1 to 4096; default: 64
 * @property {'lstm' | 'gru'} [cell] default: 'lstm'
 * @property {boolean} [bidirectional] the encoder reads both ways; each direction then has half of the width
 * @property {boolean} [repeats] whether a point may be written twice
 * @property {number} [batch] the sets in each step, from 1 to 4096; default: 32
 * @property {number} [rate] Adam's learning rate, from 0 to 10; default: 0.005
 * @property {number} [clip] the largest length of the gradient; 0: no clipping; default: 1
 * @property {number} [seed] of the first weights and of the order of the data; default: 1
 */

/**
 * @typedef {object} PointerTrainerOptions
 * @property {Iterable<PointSet>} [sets] the training data; without it the network only runs
 * @property {Iterable<PointSet>} [dev] sets for measuring, which are not trained on
 * @property {number} [inputs] the number of coordinates of a point; default: as in the first set
 * @property {PointerConfig} [config]
 * @property {Checkpoint} [checkpoint] of a trainer with the same config and sets: training continues from it
 * @property {Record<string, Uint8Array>} [files] the result of `files()`: the network begins with these weights. Then
 *   `inputs` and the sizes in `config` come from the files
 * @property {AbortSignal} [signal] ends the creation
 * @property {boolean} [worker] as in `Trainer.create`
 * @property {string | URL | ArrayBuffer | WebAssembly.Module} [wasm] another build that trains
 * @property {string | URL} [baseUrl] as in `Translator.create`
 */

/**
 * An order that the network has written, with its attention.
 * @typedef {object} PointerTrace
 * @property {number[]} order places of the points, in the order in which they are written
 * @property {{shape: [number, number], data: Float32Array}} weights [written, points]: the probability of each point
 *   at each step. It is 0 for a point that was already written, unless `repeats` is set
 */

const kInternal = Symbol('internal');

// The options of each call, by name.
const kCreate = ['sets', 'dev', 'inputs', 'config', 'checkpoint', 'files', 'signal', 'worker', 'wasm', 'baseUrl'];
const kConfig = ['width', 'cell', 'bidirectional', 'repeats', 'batch', 'rate', 'clip', 'seed'];
const kNetwork = ['d_model', 'cell', 'bidirectional', 'repeats', 'inputs'];
const kNoPlace = -1;

/**
 * Trains a pointer network (Vinyals et al. 2015). It reads points and writes their places in an order. Its output is its
 * attention.
 *
 *     const trainer = await PointerTrainer.create({ sets: [{ points: [0.3, 0.1], order: [1, 0] }, ...] });
 *     await trainer.run({ steps: 500 });
 *     await trainer.point([0.7, 0.2, 0.5]); // [1, 2, 0]
 */
export class PointerTrainer extends Training {
  /** The minifier renames classes; this is the name that users see. @override */
  static name = 'PointerTrainer';
  /** @readonly @type {Readonly<{inputs: number, parameters: number}>} */
  info;
  #network;

  /**
   * @private use PointerTrainer.create()
   * @param {symbol} key
   * @param {import('../worker/endpoint.js').Endpoint} engine
   * @param {{inputs: number, parameters: number}} info
   * @param {Record<string, unknown>} network
   */
  constructor(key, engine, info, network) {
    super(engine);
    if (key !== kInternal) throw new TypeError('Illegal constructor: use PointerTrainer.create()');
    this.info = Object.freeze(info);
    this.#network = network;
  }

  /**
   * Creates a network with random weights or with those of `files`, or continues from a checkpoint.
   * @param {PointerTrainerOptions} options
   * @returns {Promise<PointerTrainer>} rejects with a QkvError that names the option, or the signal's reason
   */
  static async create(options) {
    // Read the arguments. The number of coordinates is given, or it is known from `files` or from the first set.
    const given = readFields(options, 'PointerTrainer.create', kCreate);
    const { files, checkpoint, signal, worker = hasWebWorker(), wasm } = given;
    signal?.throwIfAborted();
    const read = files ? networkOf(files) : null;
    const sets = packed(given.sets ?? [], 'sets', given.inputs ?? read?.inputs);
    const dev = packed(given.dev ?? [], 'dev', sets.inputs);
    const inputs = given.inputs ?? read?.inputs ?? sets.inputs;
    if (inputs === undefined) throw invalid('inputs', 'without sets, say how many numbers a point has');
    wholeNumber(inputs, 1, 4096, 'inputs');
    const { width, ...config } = readFields(given.config, 'config', kConfig);
    const all = { ...(width !== undefined && { d_model: width }), ...config, ...read, inputs };
    // Start an engine for this trainer alone. Close it if the network cannot be created.
    const base = baseFolder(given.baseUrl);
    const from = wasm === undefined ? trainUrl(base) : givenWasm(wasm);
    const engine = trainingEngine(worker, base);
    try {
      const args = { wasm: { build: 'train', from }, config: JSON.stringify(all), sets, dev, checkpoint };
      const weights = files?.['model.safetensors'];
      const { parameters } = await engine.call('createPointer', { ...args, weights }, { signal });
      const network = { d_model: 64, cell: 'lstm', bidirectional: false, repeats: false, ...all };
      return new PointerTrainer(kInternal, engine, { inputs, parameters }, network);
    } catch (error) {
      engine.close();
      throw toPublicError(error);
    }
  }

  /**
   * The order that the network writes with its current weights. A run waits meanwhile.
   * @param {Points} points
   * @param {{most?: number, stop?: number, signal?: AbortSignal | null}} [options] most: the most places to write,
   *   default: the number of points; stop: the place after which it ends
   * @returns {Promise<number[]>} places, counted from 0
   */
  async point(points, options) {
    return (await this.trace(points, options)).order;
  }

  /**
   * The order that the network writes, with the weights of every step.
   * @param {Points} points
   * @param {{most?: number, stop?: number, signal?: AbortSignal | null}} [options] as in `point`
   * @returns {Promise<PointerTrace>}
   */
  async trace(points, options) {
    const { most, stop = kNoPlace, signal } = readFields(options, 'trace', ['most', 'stop', 'signal']);
    if (most !== undefined) wholeNumber(most, 1, 4096, 'most');
    if (stop !== kNoPlace) wholeNumber(stop, 0, 4095, 'stop');
    const numbers = rowsOf(points, 'points', this.info.inputs).flat();
    const { places, weights } = await this.call('point', { points: numbers, most: most ?? 0, stop }, signal);
    return { order: [...places], weights: { shape: [places.length, points.length], data: weights } };
  }

  /**
   * The network's folder: `config.json`, and `model.safetensors` in float32. `create({ files })` takes it.
   * @returns {Promise<Record<string, Uint8Array<ArrayBuffer>>>}
   */
  async files() {
    const network = Object.fromEntries(kNetwork.map((name) => [name, this.#network[name]]));
    const config = JSON.stringify({ model_type: 'qkv-pointer', ...network }, null, 2);
    return { 'config.json': new TextEncoder().encode(config), ...(await this.call('files', {})) };
  }
}

/** The network's own fields of config.json. @param {Record<string, Uint8Array>} files */
function networkOf(files) {
  const { 'config.json': config, 'model.safetensors': weights } = files;
  if (!(config instanceof Uint8Array) || !(weights instanceof Uint8Array)) {
    throw invalid('files', 'expected the result of files(): config.json and model.safetensors');
  }
  try {
    const fields = JSON.parse(new TextDecoder().decode(config));
    if (fields.model_type === 'qkv-pointer') return Object.fromEntries(kNetwork.map((name) => [name, fields[name]]));
  } catch {
    // The error is thrown below.
  }
  throw invalid('files', 'config.json is not that of a pointer network');
}

/** @param {Points} points @param {string} where @param {number} [inputs] default: the number of the first point @returns {number[][]} */
function rowsOf(points, where, inputs) {
  if (!Array.isArray(points) || points.length === 0) throw invalid(where, 'expected a list of points, one or more');
  const rows = points.map((point) => (Array.isArray(point) ? point : [point]));
  const each = inputs ?? rows[0].length;
  const isRight = (/** @type {unknown[]} */ row) => row.length === each && row.every(Number.isFinite);
  if (!rows.every(isRight)) throw invalid(where, `a point has ${each} finite numbers`);
  return rows;
}

/**
 * Sets as flat lists of numbers, for the engine.
 * @param {Iterable<PointSet>} sets
 * @param {string} where
 * @param {number} [inputs]
 */
function packed(sets, where, inputs) {
  if (typeof sets?.[Symbol.iterator] !== 'function') throw invalid(where, 'give an iterable of {points, order}');
  // The coordinates of all points and the places of all orders, then the numbers of points and of places of each set.
  /** @type {number[]} */
  const points = [];
  /** @type {number[]} */
  const places = [];
  const [sizes, lengths] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (const set of sets) {
    const rows = rowsOf(set?.points, where, inputs);
    inputs ??= rows[0].length;
    if (!Array.isArray(set.order)) throw invalid(where, 'a set has points and their order');
    for (const place of set.order) inRange(wholeNumber(place, 0, 4095, where), 0, rows.length - 1, where);
    for (const row of rows) points.push(...row);
    for (const place of set.order) places.push(place);
    sizes.push(rows.length);
    lengths.push(set.order.length);
  }
  return { inputs, points, sizes, places, lengths };
}

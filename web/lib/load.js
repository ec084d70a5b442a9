// Loads a model into an engine: the small files at once, then the weights as they arrive, range by range, straight into
// the engine's memory. A model is never in memory twice.
import { withSignals } from './abort.js';
import { QkvError } from './errors.js';
import { open, readAll } from './fetch.js';
import { locate, smallFiles, weightsFile } from './model-source.js';
import { pacer } from './runtime.js';

/** @typedef {import('./guard.js').GuardedModule} GuardedModule */
/** @typedef {import('./model-source.js').ModelSource} ModelSource */
/** @typedef {(loaded: number) => void} Progress from 0 to 1, never less than before */

// The small files' share of the progress.
const kSmallShare = 0.05;

/**
 * @param {Promise<GuardedModule>} engine
 * @param {ModelSource} source
 * @param {AbortSignal} outer
 * @param {Progress} progress
 * @returns {Promise<number>} the model's handle; rejects with a QkvError or with the signal's reason
 */
export function loadModel(engine, source, outer, progress) {
  return withSignals([outer], async (signal) => {
    const small = readSmallFiles(source, signal, (done) => progress(kSmallShare * done));
    const [files, wasm] = await Promise.all([small, engine]);
    const weights = await open(required(source, weightsFile), weightsFile, signal);
    if (!weights) throw missing(source, weightsFile);
    const loader = wasm.loaderCreate({ ...files, weightsSize: weights.exact ? weights.size : 0 });
    try {
      await feed(new RangeFiller(wasm, loader), weights, signal, (done) =>
        progress(kSmallShare + (1 - kSmallShare) * done),
      );
      return wasm.loaderFinish(loader);
    } catch (error) {
      wasm.loaderFree(loader);
      throw error;
    }
  });
}

/**
 * @param {ModelSource} source
 * @param {AbortSignal} signal
 * @param {Progress} progress
 */
async function readSmallFiles(source, signal, progress) {
  let done = 0;
  const read = async (/** @type {string} */ name, isRequired = true) => {
    const from = isRequired ? required(source, name) : locate(source, name);
    const bytes = from === undefined ? null : await readAll(from, name, signal);
    if (!bytes && isRequired) throw missing(source, name);
    if (bytes?.length === 0) throw new QkvError('INVALID_FILE', 'is empty', name);
    progress(++done / smallFiles.length);
    return bytes;
  };
  const [config, generation, vocab, sourceSpm, targetSpm, shortlist] = await Promise.all(
    smallFiles.map(({ name, isRequired }) => read(name, isRequired)),
  );
  return {
    config: asText(config, 'config.json'),
    generationConfig: asText(generation, 'generation_config.json'),
    vocab: asText(vocab, 'vocab.json'),
    sourceSpm: /** @type {Uint8Array} */ (sourceSpm),
    targetSpm,
    shortlist,
  };
}

/**
 * @param {Uint8Array | null} bytes
 * @param {string} name
 */
function asText(bytes, name) {
  try {
    return bytes ? new TextDecoder('utf-8', { fatal: true }).decode(bytes) : '';
  } catch (cause) {
    throw new QkvError('INVALID_FILE', 'is not UTF-8', name, { cause });
  }
}

/**
 * @param {ModelSource} source
 * @param {string} name
 */
function required(source, name) {
  const from = locate(source, name);
  if (from === undefined) throw missing(source, name);
  return from;
}

/**
 * @param {ModelSource} source
 * @param {string} name
 */
function missing(source, name) {
  const from = locate(source, name);
  if (typeof from !== 'string') return new QkvError('MISSING_FILE', `the model has no file ${name}`, name);
  if (!from.startsWith('file:')) return new QkvError('NETWORK', `there is no ${name} at ${from} (status 404)`, name);
  return new QkvError('MISSING_FILE', `there is no ${name} at ${from}`, name);
}

/**
 * @param {RangeFiller} filler
 * @param {import('./fetch.js').Opened} weights
 * @param {AbortSignal} signal
 * @param {Progress} progress
 */
async function feed(filler, weights, signal, progress) {
  const pace = pacer();
  for await (const chunk of weights.chunks) {
    if (filler.take(chunk)) return;
    if (weights.size) progress(Math.min(filler.position / weights.size, 1));
    await pace();
    signal.throwIfAborted();
  }
  throw new QkvError('INVALID_FILE', `ends after ${filler.position} bytes; its header promises more`, weightsFile);
}

/** Copies a file that comes in chunks into the ranges that a loader asks for. */
class RangeFiller {
  /** Bytes of the file taken so far. */
  position = 0;
  #wasm;
  #loader;
  #range;
  #filled = 0; // bytes of the range

  /**
   * @param {GuardedModule} wasm
   * @param {number} loader
   */
  constructor(wasm, loader) {
    this.#wasm = wasm;
    this.#loader = loader;
    this.#range = this.#wasm.loaderNext(this.#loader);
  }

  /**
   * @param {Uint8Array} chunk
   * @returns {boolean} whether the loader has all it wants
   */
  take(chunk) {
    for (let rest = chunk; this.#range.length > 0 && rest.length > 0;) {
      const skipped = Math.min(this.#range.offset + this.#filled - this.position, rest.length);
      const wanted = rest.subarray(skipped, skipped + this.#range.length - this.#filled);
      this.#stage(wanted);
      const used = skipped + wanted.length;
      this.position += used;
      rest = rest.subarray(used);
    }
    return this.#range.length === 0;
  }

  /** @param {Uint8Array} bytes */
  #stage(bytes) {
    if (bytes.length > 0) this.#wasm.loaderStage(this.#loader).set(bytes, this.#filled);
    this.#filled += bytes.length;
    if (this.#filled < this.#range.length) return;
    this.#wasm.loaderCommit(this.#loader);
    this.#range = this.#wasm.loaderNext(this.#loader);
    this.#filled = 0;
  }
}

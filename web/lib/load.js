// Loads a model into an engine: the small files at once, then the weights as they arrive, range by range, straight into
// the engine's memory. A model is never in memory twice.
import { withSignals } from './abort.js';
import { QkvError } from './errors.js';
import { open, readAll } from './fetch.js';
import { hasTwoVocabularies, locate, smallFiles, weightsFile } from './model-source.js';
import { pacer } from './runtime.js';

/** @typedef {import('./guard.js').GuardedModule} GuardedModule */
/** @typedef {Pick<GuardedModule, 'loaderNext' | 'loaderStage' | 'loaderCommit'>} LoadingModule */
/** @typedef {import('./model-source.js').ModelSource} ModelSource */
/** @typedef {(loaded: number) => void} Progress from 0 to 1, never less than before */

// The small files' share of the progress.
export const kSmallShare = 0.05;

// Where there are no weights that this engine reads.
const kBrought = "; where they are in pytorch_model.bin or in shards, load() of 'qkv/models' reads them";

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
    if (!weights) throw missing(source, weightsFile, kBrought);
    const loader = wasm.loaderCreate({ ...files, weightsSize: weights.exact ? weights.size : 0 });
    try {
      const report = (/** @type {number} */ bytes) => {
        if (weights.size) progress(kSmallShare + (1 - kSmallShare) * Math.min(bytes / weights.size, 1));
      };
      await feed(new RangeFiller(wasm, loader), weights, weightsFile, signal, report);
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
  const [bytes, generation, vocab, sourceSpm, targetSpm, shortlist] = await Promise.all(
    smallFiles.map(({ name, isRequired }) => read(name, isRequired)),
  );
  const config = asText(bytes, 'config.json');
  const targetVocab = hasTwoVocabularies(config) ? await read('target_vocab.json', false) : null;
  return {
    config,
    generationConfig: asText(generation, 'generation_config.json'),
    vocab: asText(vocab, 'vocab.json'),
    sourceSpm: /** @type {Uint8Array} */ (sourceSpm),
    targetSpm,
    shortlist,
    targetVocab: asText(targetVocab, 'target_vocab.json'),
  };
}

/**
 * @param {Uint8Array | null} bytes
 * @param {string} name
 */
export function asText(bytes, name) {
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
 * @param {string} [advice]
 */
export function missing(source, name, advice = '') {
  const from = locate(source, name);
  if (typeof from !== 'string') return new QkvError('MISSING_FILE', `the model has no file ${name}${advice}`, name);
  const said = `there is no ${name} at ${from}`;
  if (from.startsWith('file:')) return new QkvError('MISSING_FILE', said + advice, name);
  return new QkvError('NETWORK', `${said} (status 404)${advice}`, name);
}

/**
 * Gives a loader what it wants of a file, in the file's order.
 * @param {RangeFiller} filler
 * @param {import('./fetch.js').Opened} weights
 * @param {string} name
 * @param {AbortSignal} signal
 * @param {(bytes: number) => void} progress
 */
export async function feed(filler, weights, name, signal, progress) {
  const pace = pacer();
  for await (const chunk of weights.chunks) {
    if (filler.take(chunk) && !weights.isChecked) return;
    progress(filler.position);
    await pace();
    signal.throwIfAborted();
  }
  if (filler.isDone) return;
  throw new QkvError('INVALID_FILE', `ends after ${filler.position} bytes; its header promises more`, name);
}

/** Copies a file that comes in chunks into the ranges that a loader asks for. */
export class RangeFiller {
  /** Bytes of the file taken so far. */
  position = 0;
  /** Ranges filled so far. */
  ranges = 0;
  #wasm;
  #loader;
  #file;
  #range;
  #filled = 0; // bytes of the range

  /**
   * @param {LoadingModule} wasm
   * @param {number} loader
   * @param {number} [file] of those that the loader reads
   */
  constructor(wasm, loader, file = 0) {
    this.#wasm = wasm;
    this.#loader = loader;
    this.#file = file;
    this.#range = this.#wasm.loaderNext(this.#loader);
  }

  /** Whether the loader wants nothing more of this file. */
  get isDone() {
    return this.#range.length === 0 || this.#range.file > this.#file;
  }

  /**
   * @param {Uint8Array} chunk
   * @returns {boolean} whether the loader has all it wants of the file
   */
  take(chunk) {
    for (let rest = chunk; !this.isDone && rest.length > 0;) {
      const skipped = Math.min(this.#range.offset + this.#filled - this.position, rest.length);
      const wanted = rest.subarray(skipped, skipped + this.#range.length - this.#filled);
      this.#stage(wanted);
      const used = skipped + wanted.length;
      this.position += used;
      rest = rest.subarray(used);
    }
    return this.isDone;
  }

  /** @param {Uint8Array} bytes */
  #stage(bytes) {
    if (bytes.length > 0) this.#wasm.loaderStage(this.#loader).set(bytes, this.#filled);
    this.#filled += bytes.length;
    if (this.#filled < this.#range.length) return;
    this.#wasm.loaderCommit(this.#loader);
    this.ranges++;
    this.#range = this.#wasm.loaderNext(this.#loader);
    this.#filled = 0;
  }
}

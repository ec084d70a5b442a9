// Gives a file of weights to a loader, range by range, while it is downloaded.
import { SizeFinder } from '../loading/directory-head.js';
import { QkvError } from '../base/errors.js';
import { nextTask, pacer } from '../base/runtime.js';

/** @typedef {import('./guard.js').GuardedModule} GuardedModule */
/** @typedef {Pick<GuardedModule, 'loaderNext' | 'loaderStage' | 'loaderCommit'>} LoadingModule */

/**
 * Gives a loader the ranges that it wants, in the order of the file. The file is always read to its end, because browsers
 * cache only complete downloads.
 * @param {RangeFiller} filler
 * @param {import('../loading/fetch.js').Opened} weights
 * @param {string} name
 * @param {AbortSignal} signal
 * @param {(share: number) => void} progress gets the loaded share of the file, if it is known
 * @param {() => boolean | undefined} [spare] some work to do while bytes are waited for. It returns whether there is more of it;
 *   undefined: not before the next bytes have come
 */
export async function feed(filler, weights, name, signal, progress, spare = () => false) {
  const pace = pacer();
  const finder = new SizeFinder();
  let got = 0;
  for await (const chunk of whileWaiting(weights.chunks, spare)) {
    finder.add(chunk);
    const isShort = weights.exact && finder.size > weights.size;
    if (!filler.isDone) take(filler, chunk, isShort ? shortness(weights.size, finder.size) : '');
    got += chunk.length;
    const size = finder.size || weights.size;
    if (size) progress(Math.min(got / size, 1));
    await pace();
    signal.throwIfAborted();
  }
  if (!filler.isDone) throw new QkvError('INVALID_FILE', shortness(got, finder.size), name);
}

/**
 * The same chunks. While the next one is waited for, `work` is called, in tasks of their own.
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {() => boolean | undefined} work as `spare` of `feed`
 */
async function* whileWaiting(chunks, work) {
  const all = chunks[Symbol.asyncIterator]();
  /** @type {boolean | undefined} */
  let isMore;
  try {
    for (;;) {
      let isWaiting = true;
      const next = all.next().finally(() => (isWaiting = false));
      next.catch(() => {}); // the error is thrown below
      // A chunk that is there already arrives before the first task.
      isMore ??= true;
      while (isMore && (await nextTask(), isWaiting)) isMore = work();
      const { done, value } = await next;
      if (done) return;
      yield value;
    }
  } finally {
    await all.return?.();
  }
}

/**
 * Gives a chunk to a loader. An error of a file that is too short says so.
 * @param {RangeFiller} filler
 * @param {Uint8Array} chunk
 * @param {string} fault what is wrong with the file's length; '' if it is right
 */
function take(filler, chunk, fault) {
  try {
    filler.take(chunk);
  } catch (error) {
    if (!fault || !(error instanceof QkvError) || error.code !== 'INVALID_FILE') throw error;
    throw new QkvError(error.code, `${error.message}; the file ${fault}`, error.where, { cause: error });
  }
}

/**
 * @param {number} got
 * @param {number} wanted 0: not known
 */
const shortness = (got, wanted) =>
  `ends after ${got} bytes, and its header needs ${wanted ? `${wanted} bytes` : 'more'}: it was cut short, or the server ` +
  'sends a Content-Length that is too small';

/** Copies the chunks of a file into the ranges that a loader wants. */
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
   * @param {number} [file] the number of the file
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

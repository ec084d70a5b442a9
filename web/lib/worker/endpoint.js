// The place where an engine runs: a worker or this thread. Both have the same methods.
import { unlessAborted, withSignals } from '../base/abort.js';
import { Channel } from './protocol.js';
import { QkvError, hasEnded, loadedPart } from '../base/errors.js';
import { workerThreads } from '../base/runtime.js';
import { copied } from '../base/snapshot.js';
import { startWorker } from './start-worker.js';

/**
 * @typedef {object} Endpoint
 * @property {Channel['call']} call
 * @property {Channel['endsWith']} [endsWith]
 * @property {AbortSignal} ended aborts when the engine has ended. Its reason is the error with which every later call rejects
 * @property {() => void} close
 */

/**
 * An engine's code: the URL of the worker's script, and the handlers for calls without a worker.
 * @typedef {object} Served
 * @property {() => string} script
 * @property {() => Promise<Record<string, import('./protocol.js').Handler>>} handlers
 */

/**
 * @param {boolean} inWorker
 * @param {Served} served
 * @returns {Endpoint} throws a QkvError, code ENGINE_FAILED, if the worker cannot be started
 */
export function createEndpoint(inWorker, { script, handlers }) {
  if (!inWorker) return new LocalEndpoint(handlers);
  const url = script();
  const threads = workerThreads();
  return new Channel(threads ? nodeWorker(threads, url) : webWorker(url), url);
}

/**
 * @param {string} url
 * @returns {import('./protocol.js').Port}
 */
function webWorker(url) {
  try {
    return startWorker(url);
  } catch (cause) {
    const why = /** @type {Error} */ (cause).message;
    const advice = 'allow it in the Content-Security-Policy, or pass worker: false';
    throw new QkvError('ENGINE_FAILED', `the worker ${url} could not be started (${why}): ${advice}`, 'worker', {
      cause,
    });
  }
}

/**
 * @param {import('../base/runtime.js').WorkerThreads} threads
 * @param {string} url
 * @returns {import('./protocol.js').Port}
 */
function nodeWorker(threads, url) {
  // A thread inherits the flags of the process. With the flag --input-type it does not start, so then it gets no flags.
  // The flag alone cannot be removed, because the option execArgv refuses flags of V8.
  const isFromText = globalThis.process.execArgv.some((flag) => flag.startsWith('--input-type'));
  return new threads.Worker(new URL(url), isFromText ? { execArgv: [] } : {});
}

/** An engine in this thread. Its code is loaded at the first call. */
class LocalEndpoint {
  /** @type {Promise<Record<string, import('./protocol.js').Handler>> | undefined} */
  #handlers;
  #life = new AbortController();
  #load;

  /** @param {Served['handlers']} load */
  constructor(load) {
    this.#load = load;
  }

  get ended() {
    return this.#life.signal;
  }

  /** @type {Endpoint['call']} */
  async call(method, args, { signal, progress = () => {} } = {}) {
    this.ended.throwIfAborted();
    const ownArgs = copied(args);
    const loading = (this.#handlers ??= loadedPart(this.#load));
    try {
      return await withSignals([this.ended, signal], async (both) => {
        const handlers = await unlessAborted(loading, both);
        const report = async (/** @type {any} */ value) => {
          const taken = unlessAborted(Promise.resolve(progress(value)), both);
          await taken.catch((error) => both.aborted || Promise.reject(error)); // no reports after an abort
        };
        return unlessAborted(handlers[method](ownArgs, { signal: both, progress: report }), this.ended);
      });
    } catch (error) {
      if (hasEnded(error)) this.#end(error);
      throw error;
    }
  }

  close() {
    this.#end(new QkvError('DESTROYED', 'the engine has been closed'));
  }

  /** @param {unknown} reason */
  #end(reason) {
    this.#life.abort(reason);
    this.#handlers = undefined;
  }
}

// The place where an engine runs: a worker, or this thread. Both have the same calls.
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
 * @property {AbortSignal} ended aborts when what runs there has ended, with the error that every call then rejects with
 * @property {() => void} close
 */

/**
 * An engine's code: the URL of its worker's script, and the handlers of calls without a worker.
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
  if (!inWorker) return new Local(handlers);
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
  // A thread inherits the process's flags. It refuses flags of V8 in its options, and of the inherited ones this one.
  const isFromText = globalThis.process.execArgv.some((flag) => flag.startsWith('--input-type'));
  return new threads.Worker(new URL(url), isFromText ? { execArgv: [] } : {});
}

/** An engine in this thread. Its code is loaded at the first call. */
class Local {
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
    const own = copied(args);
    const loading = (this.#handlers ??= loadedPart(this.#load));
    try {
      return await withSignals([this.ended, signal], async (both) => {
        const handlers = await unlessAborted(loading, both);
        const report = async (/** @type {any} */ value) => {
          const taken = unlessAborted(Promise.resolve(progress(value)), both);
          await taken.catch((error) => both.aborted || Promise.reject(error)); // no reports after an abort
        };
        return unlessAborted(handlers[method](own, { signal: both, progress: report }), this.ended);
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

// Where an engine runs: in a worker, or in this thread. Both are called alike.
import { Channel } from './channel.js';
import { QkvError } from './errors.js';
import { workerThreads } from './runtime.js';
import { withTrustedWorker } from './trusted-worker.js';

/**
 * @typedef {object} Endpoint
 * @property {Channel['call']} call
 * @property {() => void} close
 */

/**
 * Of what runs: its worker's file, the same started in a page, and, without a worker, what answers calls.
 * @typedef {object} Served
 * @property {string} file
 * @property {() => Worker} webWorker names the file in a literal URL, which bundlers follow
 * @property {() => Promise<Record<string, import('./channel.js').Handler>>} handlers
 */

/**
 * @param {boolean} inWorker
 * @param {Served} served
 * @returns {Endpoint}
 */
export function createEndpoint(inWorker, served) {
  if (!inWorker) return new Local(served);
  const threads = workerThreads();
  return new Channel(threads ? nodeWorker(threads, served) : webWorker(served));
}

/**
 * @param {Served} served
 * @returns {import('./channel.js').Port}
 */
function webWorker(served) {
  try {
    return withTrustedWorker(served.webWorker);
  } catch (cause) {
    const advice = "serve qkv from the page's own origin, or pass worker: false";
    const message = `the worker could not be started (${/** @type {Error} */ (cause).message}): ${advice}`;
    throw new QkvError('ENGINE_FAILED', message, 'worker', { cause });
  }
}

/**
 * The same file, without the literal that bundlers follow: what they make for a browser has no use for Node's worker.
 * @param {import('./runtime.js').WorkerThreads} threads
 * @param {Served} served
 * @returns {import('./channel.js').Port}
 */
function nodeWorker(threads, served) {
  const file = new URL(import.meta.url.replace(/[^/]*$/, served.file));
  // A thread inherits the process's flags, and takes none of V8's by hand; of those it inherits it refuses this one.
  const isFromText = globalThis.process.execArgv.some((flag) => flag.startsWith('--input-type'));
  return new threads.Worker(file, isFromText ? { execArgv: [] } : {});
}

/** An engine in this thread. Its code is fetched when it is first asked for: a page with a worker never needs it. */
class Local {
  /** @type {Promise<Record<string, import('./channel.js').Handler>> | undefined} */
  #handlers;
  #isClosed = false;
  #served;

  /** @param {Served} served */
  constructor(served) {
    this.#served = served;
  }

  /** @type {Endpoint['call']} */
  async call(method, args, { signal = new AbortController().signal, progress = () => {} } = {}) {
    if (this.#isClosed) throw new QkvError('DESTROYED', 'the engine has been closed');
    this.#handlers ??= this.#served.handlers();
    const handlers = await this.#handlers;
    signal.throwIfAborted();
    return handlers[method](args, { signal, progress });
  }

  close() {
    this.#isClosed = true;
    this.#handlers = undefined;
  }
}

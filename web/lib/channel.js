// Calls over messages, between a page and its worker. A request is {v, id, method, args}; `method: 'abort'` takes back the
// request of that id. A reply is {v, id, result} or {v, id, error}, a report on the way {v, id, progress}.
import { QkvError, fromPlain, toPlain } from './errors.js';
import { kCopyAdvice } from './package-file.js';
import { version } from './version.js';

/** @typedef {import('./errors.js').PlainError} PlainError */
/** @typedef {{v: string, id: number, method: string, args: any}} Request */
/** @typedef {{v: string, id: number, result?: any, error?: PlainError, progress?: number}} Reply */
/** @typedef {(args: any, call: import('./engine.js').Call) => Promise<unknown>} Handler */

/**
 * What both ends have: a browser's Worker, a worker's global scope, and their like in Node.
 * @typedef {object} Port
 * @property {(message: any, transfer?: any) => void} postMessage
 * @property {(type: string, listener: (event: any) => void) => void} [addEventListener]
 * @property {(type: string, listener: (value: any) => void) => void} [on]
 * @property {() => unknown} [terminate]
 * @property {() => void} [ref]
 * @property {() => void} [unref]
 */

/**
 * @param {Port} port
 * @param {(message: any) => void} receive
 */
function listen(port, receive) {
  if (port.on) port.on('message', receive);
  else port.addEventListener?.('message', ({ data }) => receive(data));
}

/**
 * The worker's end: answers requests by `handlers`.
 * @param {Port} port
 * @param {Record<string, Handler>} handlers
 */
export function serve(port, handlers) {
  /** @type {Map<number, AbortController>} */
  const running = new Map();
  const reply = (/** @type {Omit<Reply, 'v'>} */ message) =>
    port.postMessage({ v: version, ...message }, buffersIn(message.result));

  const answer = async (/** @type {Request} */ { v, id, method, args }) => {
    if (v !== version) return reply({ id, error: toPlain(otherBuild(v, version)) });
    if (method === 'abort') return running.get(id)?.abort();
    const controller = new AbortController();
    running.set(id, controller);
    try {
      if (!Object.hasOwn(handlers, method))
        throw new QkvError('INVALID_ARGUMENT', `there is no method ${method}`, 'method');
      const call = { signal: controller.signal, progress: (/** @type {number} */ progress) => reply({ id, progress }) };
      reply({ id, result: await handlers[method](args, call) });
    } catch (error) {
      reply({ id, error: toPlain(error) });
    } finally {
      running.delete(id);
    }
  };
  listen(port, answer);
}

/**
 * @param {unknown} theirs
 * @param {string} ours
 */
function otherBuild(theirs, ours) {
  const message = `the page speaks qkv ${theirs}, its worker qkv ${ours}: reload the page, or serve both from one build`;
  return new QkvError('ENGINE_FAILED', message, 'worker');
}

/**
 * The buffers of the typed arrays in a result: its own copies, which a message may take along.
 * @param {unknown} value
 * @returns {ArrayBuffer[]}
 */
function buffersIn(value) {
  if (ArrayBuffer.isView(value)) return [/** @type {ArrayBuffer} */ (value.buffer)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(buffersIn);
}

/**
 * @typedef {object} Pending
 * @property {(result: any) => void} resolve
 * @property {(reason: unknown) => void} reject
 * @property {((loaded: number) => void) | undefined} progress
 */

/** The page's end. */
export class Channel {
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #next = 1;
  #port;
  /** @type {QkvError | null} */
  #failure = null;

  /**
   * @param {Port} port
   * @param {string} [script] the worker's URL, for errors
   */
  constructor(port, script = 'its script') {
    this.#port = port;
    listen(port, (reply) => this.#receive(reply));
    const died = (/** @type {any} */ event) => this.#fail(workerDied(event, script));
    for (const type of ['error', 'messageerror', 'exit']) (port.on ?? port.addEventListener)?.call(port, type, died);
    port.unref?.();
  }

  /**
   * Settles when the worker has answered, also after an abort: then it rejects with `signal.reason`, or resolves if the
   * answer was on its way already.
   * @param {string} method
   * @param {any} args
   * @param {{signal?: AbortSignal, progress?: (loaded: number) => void}} [options]
   * @returns {Promise<any>}
   */
  async call(method, args, { signal, progress } = {}) {
    if (this.#failure) throw this.#failure;
    signal?.throwIfAborted();
    const id = this.#next++;
    const abort = () => this.#port.postMessage({ v: version, id, method: 'abort', args: null });
    signal?.addEventListener('abort', abort);
    try {
      return await this.#ask(id, { v: version, id, method, args }, progress);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Ends the worker; what is pending rejects. */
  close() {
    this.#fail(new QkvError('DESTROYED', 'the engine has been closed', 'worker'));
    this.#port.terminate?.();
  }

  /**
   * @param {number} id
   * @param {Request} request
   * @param {((loaded: number) => void) | undefined} progress
   */
  #ask(id, request, progress) {
    return new Promise((resolve, reject) => {
      this.#port.postMessage(request);
      this.#pending.set(id, { resolve, reject, progress });
      this.#port.ref?.(); // Node stays for an answer, not for an idle worker
    });
  }

  /** @param {Reply} reply */
  #receive({ v, id, result, error, progress }) {
    if (v !== version) return this.#fail(otherBuild(version, v));
    const call = this.#pending.get(id);
    if (!call) return;
    if (progress !== undefined) return call.progress?.(progress);
    this.#settled(id);
    if (error) call.reject(fromPlain(error));
    else call.resolve(result);
  }

  /** @param {number} id */
  #settled(id) {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#port.unref?.();
  }

  /** @param {QkvError} failure */
  #fail(failure) {
    this.#failure ??= failure;
    for (const [id, { reject }] of this.#pending) {
      this.#settled(id);
      reject(failure);
    }
  }
}

/**
 * @param {{message?: string}} event
 * @param {string} script
 */
function workerDied({ message }, script) {
  const why = message ? ` (${message})` : '';
  const advice =
    `check that ${script} is served and that the Content-Security-Policy allows it, or pass worker: false; ` +
    kCopyAdvice;
  return new QkvError('ENGINE_FAILED', `the worker stopped or could not start${why}: ${advice}`, 'worker');
}

// The worker protocol: calls over messages between a page and its worker. `v` is the version of the package on each side.
//   page to worker   {v, id, method, args}    a call of one of the worker's methods
//                    method 'abort'           cancels the call `id`
//                    method 'more'            the page is ready for the next report on the call `id`
//                    method 'hold', 'ping'    the page checks that the worker lives (liveness.js)
//   worker to page   {v, id, progress}        a report on a call that is running
//                    {v, id, result}          the call is done
//                    {v, id, error, ended}    the call failed; `ended`: the engine cannot be used any more
import { onAbort } from '../base/abort.js';
import { QkvError, fromPlain, hasEnded, toPlain } from '../base/errors.js';
import { holdLock, waitForEnd, watch } from './liveness.js';
import { kCopyAdvice } from '../base/package-file.js';
import { copied } from '../base/snapshot.js';
import { version } from '../base/version.js';

/** @typedef {import('../base/errors.js').PlainError} PlainError */
/** @typedef {{v: string, id: number, method: string, args: any}} Request */
/** @typedef {{v: string, id: number, result?: any, error?: PlainError, ended?: boolean, progress?: number}} Reply */
/**
 * The context of every method. `progress` resolves when the receiver is ready for the next report; most methods do not
 * wait for it.
 * @typedef {{signal: AbortSignal, progress: (report: any) => Promise<void>}} Call
 */
/** @typedef {(args: any, call: Call) => Promise<unknown>} Handler */

/**
 * A port: a browser's Worker, a worker's global scope, and their equivalents in Node.
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
 * The worker's side: answers requests with `handlers`.
 * @param {Port} port
 * @param {Record<string, Handler>} handlers
 */
export function serve(port, handlers) {
  /** @type {Map<number, Running>} */
  const running = new Map();
  const reply = (/** @type {Omit<Reply, 'v'>} */ message) =>
    port.postMessage({ v: version, ...message }, buffersIn(message.result));

  const answer = async (/** @type {Request} */ { v, id, method, args }) => {
    // A page of another version of the package is refused. Messages that do not call the engine are answered immediately.
    if (v !== version) return reply({ id, error: toPlain(otherBuild(v, version)) });
    if (method === 'abort') return running.get(id)?.controller.abort();
    if (method === 'more') return running.get(id)?.waiting.shift()?.();
    if (method === 'ping') return reply({ id });
    if (method === 'hold') return reply({ id, result: await holdLock(args) });
    // A call of the engine. After each report of progress it waits until the page asks for more.
    const call = new Running();
    running.set(id, call);
    const progress = async (/** @type {any} */ report) => {
      if (!running.has(id)) return;
      reply({ id, progress: report });
      await call.more();
    };
    try {
      if (!Object.hasOwn(handlers, method))
        throw new QkvError('INVALID_ARGUMENT', `there is no method ${method}`, 'method');
      reply({ id, result: await handlers[method](args, { signal: call.controller.signal, progress }) });
    } catch (error) {
      reply({ id, error: toPlain(error), ended: hasEnded(error) });
    } finally {
      running.delete(id);
      call.release();
    }
  };
  listen(port, answer);
}

/** A request in progress. */
class Running {
  controller = new AbortController();
  /** The resolve functions of reports, the oldest first. @type {(() => void)[]} */
  waiting = [];

  constructor() {
    this.controller.signal.addEventListener('abort', () => this.release());
  }

  /** Resolves when the page is ready for another report, or has cancelled the call. @returns {Promise<void>} */
  more() {
    return new Promise((resolve) => (this.controller.signal.aborted ? resolve() : this.waiting.push(resolve)));
  }

  release() {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/**
 * @param {unknown} theirs
 * @param {string} ours
 */
function otherBuild(theirs, ours) {
  const message = `the page has qkv ${theirs}, its worker has qkv ${ours}: reload the page, or serve both from one build`;
  return new QkvError('ENGINE_FAILED', message, 'worker');
}

/**
 * The buffers of a message. They belong to the message alone, so they are transferred.
 * @param {unknown} value
 * @returns {ArrayBuffer[]}
 */
function buffersIn(value) {
  if (ArrayBuffer.isView(value)) return [/** @type {ArrayBuffer} */ (value.buffer)];
  if (value instanceof ArrayBuffer) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(buffersIn);
}

/**
 * @typedef {object} Pending
 * @property {(result: any) => void} resolve
 * @property {(reason: unknown) => void} reject
 * @property {((loaded: any) => unknown) | undefined} progress may return a promise that resolves when it is ready for the next report
 */

/** The page's side. */
export class Channel {
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #next = 1;
  #port;
  #life = new AbortController();
  /** Is called for each message, because a message shows that the worker lives. */
  #heard = () => {};
  /** Is called when the worker has ended. @type {(event: {message?: string}) => void} */
  #died;

  /**
   * @param {Port} port
   * @param {string} [script] the worker's URL, for errors
   */
  constructor(port, script = 'its script') {
    this.#port = port;
    listen(port, (reply) => this.#receive(reply));
    this.#died = (event) => this.#end(workerDied(event, script));
    const add = (port.on ?? port.addEventListener)?.bind(port);
    for (const type of ['error', 'messageerror', 'exit']) add?.(type, this.#died);
    if (!port.on) this.#heard = this.#watch(); // Node has an event for the end of a worker
    port.unref?.();
  }

  /** Aborts when the worker or its engine has ended. The reason is the error with which every call then rejects. */
  get ended() {
    return this.#life.signal;
  }

  /**
   * Calls a method of the worker, which gets a copy of the current arguments. The promise settles when the worker has
   * answered. After an abort it rejects with `signal.reason`, or resolves if the answer was already sent.
   * @param {string} method
   * @param {any} args
   * @param {{signal?: AbortSignal, progress?: (loaded: any) => unknown}} [options]
   * @returns {Promise<any>}
   */
  async call(method, args, { signal, progress } = {}) {
    this.ended.throwIfAborted();
    signal?.throwIfAborted();
    const id = this.#next++;
    const answered = this.#ask({ v: version, id, method, args }, progress);
    const removeListener = signal && onAbort(signal, () => this.#tell(id, 'abort'));
    try {
      return await answered;
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      removeListener?.();
    }
  }

  /** Ends the worker; pending calls reject. */
  close() {
    this.#end(new QkvError('DESTROYED', 'the engine has been closed', 'worker'));
  }

  /**
   * Counts the worker as ended when one of its threads has ended. Then the worker would wait for the thread for ever, and
   * receive no messages.
   * @param {string[]} locks the names of their locks
   */
  endsWith(locks) {
    const died = () => this.#died({ message: 'one of its threads ended' });
    for (const name of locks) waitForEnd(name, died, this.ended).catch(() => {}); // rejects when the worker has ended
  }

  #watch() {
    return watch({
      hold: (name) => this.call('hold', name),
      ping: () => this.#tell(0, 'ping'),
      isAsked: () => this.#pending.size > 0,
      died: () => this.#died({}),
      ended: this.ended,
    });
  }

  /**
   * @param {Request} request
   * @param {Pending['progress']} progress
   */
  #ask(request, progress) {
    return new Promise((resolve, reject) => {
      const own = copied(request);
      this.#port.postMessage(own, buffersIn(own));
      this.#pending.set(request.id, { resolve, reject, progress });
      this.#port.ref?.(); // Node's process waits for an answer, not for an idle worker
    });
  }

  /** @param {number} id @param {string} method */
  #tell(id, method) {
    this.#port.postMessage({ v: version, id, method, args: null });
  }

  /** @param {Reply} reply */
  #receive({ v, id, result, error, ended, progress }) {
    this.#heard();
    if (v !== version) return this.#end(otherBuild(version, v));
    const call = this.#pending.get(id);
    if (!call) return;
    if (progress !== undefined) return this.#report(id, call, progress);
    if (error && ended) return this.#end(fromPlain(error));
    this.#settled(id);
    if (error) call.reject(fromPlain(error));
    else call.resolve(result);
  }

  /**
   * Passes on a report, and asks for more when it has been processed. If the receiver throws an error, the call rejects
   * with it.
   * @param {number} id
   * @param {Pending} call
   * @param {any} report
   */
  async #report(id, { progress, reject }, report) {
    try {
      await progress?.(report);
      if (this.#pending.has(id)) this.#tell(id, 'more');
    } catch (error) {
      if (!this.#pending.has(id)) return;
      this.#settled(id);
      this.#tell(id, 'abort');
      reject(error);
    }
  }

  /** @param {number} id */
  #settled(id) {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#port.unref?.();
  }

  /** @param {QkvError} failure */
  #end(failure) {
    if (this.ended.aborted) return;
    this.#life.abort(failure);
    for (const [id, { reject }] of this.#pending) {
      this.#settled(id);
      reject(failure);
    }
    this.#port.terminate?.();
  }
}

/**
 * @param {{message?: string}} event
 * @param {string} script
 */
function workerDied({ message }, script) {
  const why = message ? ` (${message})` : '';
  const advice =
    `the next call starts a new one; where none starts, check that ${script} is served, that the ` +
    'Content-Security-Policy allows it, and that it has the Cross-Origin-Embedder-Policy of the page if the page has one; ' +
    `or pass worker: false; ${kCopyAdvice}`;
  return new QkvError('ENGINE_FAILED', `the worker stopped or could not start${why}: ${advice}`, 'worker');
}

// Starts models and runs their operations, by the steps of the Writing Assistance APIs. The first create() fetches it
// (https://webmachinelearning.github.io/writing-assistance-apis/#supporting-results).
import { onAbort, stoppableStream, unlessAborted, withSignals } from '../base/abort.js';
import { nextTask } from '../base/runtime.js';
import { exception } from './exception.js';
import { find } from './find.js';
import { Progress } from './progress.js';

/** @typedef {import('./backends.js').Backend} Backend */

/**
 * The result of `find`. Rejects with an UnknownError if there is none.
 * @param {string} name of the class
 * @param {object} options
 */
async function found(name, options) {
  try {
    return await find(name, options);
  } catch (cause) {
    throw exception('UnknownError', `The availability could not be determined: ${cause}`, cause);
  }
}

/** @param {string} name of the class @param {object} options */
export const availability = async (name, options) => (await found(name, options)).state;

/**
 * Loads the back end, reports the progress to the monitor, and creates the object.
 * @template Created
 * @param {string} name of the class
 * @param {import('./creation.js').Common & import('./creation.js').CoreOptions} options
 * @param {(model: Model<any>, options: any) => Created} construct creates the object
 * @param {import('../api/monitor.js').CreateMonitor | undefined} monitor
 * @param {boolean} isActive whether the user had just clicked or pressed a key
 */
export async function create(name, options, construct, monitor, isActive) {
  const { signal } = options;
  const { state, open } = await found(name, options);
  if (!open) throw exception('NotSupportedError', 'There is no model for these languages: see configure({ models })');
  if (state === 'downloadable' && !isActive)
    throw exception('NotAllowedError', 'A download begins with a click or a key: call create() in its listener');
  const progress = new Progress(monitor, signal);
  progress.report(0);
  const backend = await open(state === 'available' ? () => {} : progress.report, signal);
  await progress.end();
  if (signal?.aborted) backend.leave();
  signal?.throwIfAborted();
  const model = new Model(backend, signal);
  return construct(model, options);
}

/**
 * Holds the back end of an object of the API until the object is destroyed, or its signal aborts.
 * @template {Backend} Own
 */
export class Model {
  #life = new AbortController();
  #forget;

  /**
   * @param {Own} backend
   * @param {AbortSignal} [signal]
   */
  constructor(backend, signal) {
    this.backend = backend;
    this.#forget = signal && onAbort(signal, () => this.destroy(signal.reason));
  }

  /**
   * The result of an operation, in a separate task. If the signal aborts, rejects immediately with its reason.
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {(backend: Own, signal: AbortSignal) => Promise<T>} work
   * @returns {Promise<T>}
   */
  run(signal, work) {
    return withSignals([this.#life.signal, signal], async (both) => {
      const [result] = await unlessAborted(Promise.all([work(this.backend, both), nextTask()]), both);
      return result;
    });
  }

  /**
   * @param {AbortSignal | undefined} signal
   * @param {(backend: Own, signal: AbortSignal) => import('./backends.js').Chunks} open
   * @returns {ReadableStream<string>}
   */
  stream(signal, open) {
    /** @type {import('./backends.js').Chunks | undefined} */
    let chunks;
    return stoppableStream([this.#life.signal, signal], (stopped) => {
      chunks ??= open(this.backend, stopped);
      return chunks.next();
    });
  }

  /** @param {unknown} [reason] */
  destroy(reason = exception('AbortError', 'It has been destroyed')) {
    if (this.#life.signal.aborted) return;
    this.#forget?.();
    this.#life.abort(reason);
    this.backend.destroy();
  }
}

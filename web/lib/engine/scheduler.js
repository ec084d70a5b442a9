// Runs jobs in steps. WebAssembly cannot receive messages while it computes. So jobs take turns, and the loop yields to
// the event loop.
import { QkvError } from '../base/errors.js';
import { pacer } from '../base/runtime.js';

/** Milliseconds between two checks whether a step was interrupted. */
const kPause = 500;

/**
 * @typedef {object} Job
 * @property {() => boolean} step does a part of the work; true when the job is done
 * @property {() => void} resolve
 * @property {(reason: unknown) => void} reject
 */

/** Runs one step of each job in turn. Yields every 8 ms. */
export class Scheduler {
  /** @type {Job[]} the first one is the next */
  #queue = [];
  #running = false;
  /**
   * The job whose step is running. Nothing else can run at that time. If other code finds it set, the step was interrupted:
   * a debugger can end a computation in a worker without an exception, and the worker goes on.
   * @type {Job | null}
   */
  #current = null;

  /**
   * Resolves when `step` has returned true. Rejects with the error that it throws, or immediately with `signal.reason`
   * on abort; then no further step runs.
   * @param {() => boolean} step
   * @param {AbortSignal} signal
   * @returns {Promise<void>}
   */
  run(step, signal) {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const job = { step, resolve, reject };
      const abort = () => {
        this.#queue = this.#queue.filter((other) => other !== job);
        settle(reject)(signal.reason);
      };
      /** @type {<T>(done: (value: T) => void) => (value: T) => void} */
      const settle = (done) => (value) => {
        signal.removeEventListener('abort', abort);
        done(value);
      };
      job.resolve = settle(resolve);
      job.reject = settle(reject);
      signal.addEventListener('abort', abort);
      this.#queue.push(job);
      if (!this.#running) this.#loop();
    });
  }

  async #loop() {
    this.#running = true;
    const end = () => {
      clearInterval(watch);
      this.#running = false;
    };
    const watch = setInterval(() => {
      if (!this.#current) return;
      end();
      this.#failAll();
    }, kPause);
    const pace = pacer();
    for (let job = this.#queue.shift(); job; job = this.#queue.shift()) {
      this.#turn(job);
      await pace();
    }
    end();
  }

  /** The engine's state is unknown: every job fails as if the engine had ended. */
  #failAll() {
    const failure = new QkvError(
      'ENGINE_FAILED',
      'the engine was stopped from outside: the next call starts a new one',
    );
    for (const job of [this.#current, ...this.#queue.splice(0)]) job?.reject(failure);
    this.#current = null;
  }

  /** @param {Job} job */
  #turn(job) {
    this.#current = job;
    try {
      if (job.step()) job.resolve();
      else this.#queue.push(job);
    } catch (error) {
      job.reject(error);
    }
    this.#current = null;
  }
}

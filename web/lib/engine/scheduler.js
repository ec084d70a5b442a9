// Runs jobs in steps: WebAssembly cannot receive messages while it computes, so jobs take turns, and the loop yields.
import { QkvError } from '../base/errors.js';
import { pacer } from '../base/runtime.js';

/** Milliseconds between two checks whether a step was interrupted. */
const kLook = 500;

/**
 * @typedef {object} Job
 * @property {() => boolean} step does a part of the work; true when the job is done
 * @property {() => void} resolve
 * @property {(reason: unknown) => void} reject
 */

/** Runs jobs in turns, a step each, in slices of 8 ms. */
export class Scheduler {
  /** @type {Job[]} the next one's turn is first */
  #queue = [];
  #running = false;
  /**
   * The job whose step is running. Nothing else runs meanwhile. If other code sees it set, the step was interrupted: a
   * debugger can end a computation in a worker without an exception, and the worker lives on.
   * @type {Job | null}
   */
  #atWork = null;

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
      if (!this.#atWork) return;
      end();
      this.#brokenOff();
    }, kLook);
    const pace = pacer();
    for (let job = this.#queue.shift(); job; job = this.#queue.shift()) {
      this.#turn(job);
      await pace();
    }
    end();
  }

  /** The engine's state is unknown: every job fails as if the engine had ended. */
  #brokenOff() {
    const failure = new QkvError(
      'ENGINE_FAILED',
      'the engine was stopped from outside: the next call starts it afresh',
    );
    for (const job of [this.#atWork, ...this.#queue.splice(0)]) job?.reject(failure);
    this.#atWork = null;
  }

  /** @param {Job} job */
  #turn(job) {
    this.#atWork = job;
    try {
      if (job.step()) job.resolve();
      else this.#queue.push(job);
    } catch (error) {
      job.reject(error);
    }
    this.#atWork = null;
  }
}

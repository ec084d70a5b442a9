// Work comes in steps: WebAssembly cannot hear a message while it computes, so jobs take turns and the loop yields.
import { pacer } from '../base/runtime.js';

/**
 * @typedef {object} Job
 * @property {() => boolean} step does a little; true when the job is done
 * @property {() => void} resolve
 * @property {(reason: unknown) => void} reject
 */

/** Runs jobs in turns, a step each, in slices of 8 ms. */
export class Scheduler {
  /** @type {Job[]} the next one's turn is first */
  #queue = [];
  #running = false;

  /**
   * Resolves when `step` has returned true; rejects with what it throws, or at once with `signal.reason` when aborted,
   * after which no step runs.
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
    const pace = pacer();
    for (let job = this.#queue.shift(); job; job = this.#queue.shift()) {
      this.#turn(job);
      await pace();
    }
    this.#running = false;
  }

  /** @param {Job} job */
  #turn(job) {
    try {
      if (job.step()) job.resolve();
      else this.#queue.push(job);
    } catch (error) {
      job.reject(error);
    }
  }
}

// Work comes in steps: WebAssembly cannot hear a message while it computes, so jobs take turns and the loop yields.
import { QkvError } from '../base/errors.js';
import { pacer } from '../base/runtime.js';

/** Milliseconds between two looks at whether a step was broken off. */
const kLook = 500;

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
   * The job whose step is at work. Nothing else runs meanwhile, so whoever sees it knows that the step was broken off: a
   * debugger can end what a worker computes, without an exception, and let the worker live.
   * @type {Job | null}
   */
  #atWork = null;

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

  /** Nobody knows what state the engine is in: every job fails as if it had ended. */
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

/// <reference lib="esnext.disposable" preserve="true" />
// The base class of trainers: runs that can be paused, checkpoints, and the engine of the trainer.
import { QkvError, domException, toPublicError } from '../base/errors.js';
import { inRange, invalid, readFields } from '../base/arguments.js';
import { createEndpoint } from '../worker/endpoint.js';
import { trainWorkerUrl } from './assets.js';

/** @typedef {import('./train-engine.js').Progress} Progress */
/** @typedef {import('./train-engine.js').Checkpoint} Checkpoint */

/**
 * @typedef {object} RunOptions
 * @property {number} [steps] the number of updates; default: no limit, until it is paused or aborted
 * @property {number} [interval] milliseconds between two reports; default: 250
 * @property {(progress: Progress) => void} [onProgress]
 * @property {AbortSignal | null} [signal] ends the run, with its reason
 */

const kRun = ['steps', 'interval', 'onProgress', 'signal'];

/** @param {boolean} worker whether it runs in a worker of its own @param {string | undefined} base */
export const trainingEngine = (worker, base) =>
  createEndpoint(worker, {
    script: () => trainWorkerUrl(base),
    handlers: () => import('./train-engine.js').then(({ createHandlers }) => createHandlers()),
  });

export class Training {
  #engine;
  #life = new AbortController();
  /** @type {AbortController | null} of the current run */
  #running = null;

  /** @protected @param {import('../worker/endpoint.js').Endpoint} engine */
  constructor(engine) {
    this.#engine = engine;
  }

  /**
   * Trains until the number of steps is reached, `pause()` is called or the signal aborts. Only one run at a time is allowed.
   * @param {RunOptions} [options]
   * @returns {Promise<Progress | undefined>} the last report; undefined if there was no step. Rejects with the
   *   signal's reason, with a QkvError if the loss is not a finite number, and with AbortError after `destroy()`
   */
  async run(options) {
    const { steps = Infinity, interval = 250, onProgress, signal } = readFields(options, 'run', kRun);
    if (this.#running) throw invalid('', 'the trainer is running: pause it first');
    inRange(steps, 0, Infinity, 'steps');
    inRange(interval, 0, Infinity, 'interval');
    // Each call of the engine trains for one interval, then its progress is reported.
    this.#running = new AbortController();
    const { signal: paused } = this.#running;
    /** @type {Progress | undefined} */
    let last;
    try {
      for (let left = steps; left > 0 && !paused.aborted;) {
        signal?.throwIfAborted();
        const asked = { steps: Math.min(left, 1e9), milliseconds: interval };
        const progress = /** @type {Progress} */ (await this.call('train', asked, signal));
        left -= progress.steps;
        last = progress;
        onProgress?.(progress);
      }
      return last;
    } finally {
      this.#running = null;
    }
  }

  /** Ends the current run after its step; `run` then resolves. Without a run it does nothing. */
  pause() {
    if (!this.#running || this.#running.signal.aborted) return;
    this.#running.abort();
    this.call('pause', {}).catch(() => {}); // the run reports an engine that has ended
  }

  /**
   * Sets the learning rate from the next step on.
   * @param {number} rate from 0 to 10; with a schedule, its peak
   */
  async setLearningRate(rate) {
    inRange(rate, 0, 10, 'rate');
    await this.call('rate', { rate });
  }

  /**
   * The loss on the data of `dev`, with the average of the weights if there is one.
   * @returns {Promise<number>} nats for each piece or place
   */
  measure() {
    return this.call('measure', {});
  }

  /**
   * The state of the training. Another trainer with the same data and config continues from it, bit for bit.
   * @returns {Promise<Checkpoint>}
   */
  checkpoint() {
    return this.call('save', {});
  }

  /**
   * Returns to a checkpoint of this trainer, or of another one with the same data and config. The next steps are then the
   * same as those after the checkpoint, bit for bit, unless the learning rate was changed. It must not be called during a run.
   * @param {Checkpoint} checkpoint
   * @returns {Promise<void>} rejects with a QkvError that says what does not fit; then the trainer must not be used
   */
  async restore(checkpoint) {
    if (this.#running) throw invalid('', 'the trainer is running: pause it first');
    const { place, tensors } = readFields(checkpoint, 'restore', ['place', 'tensors']);
    if (typeof place !== 'string' || !(tensors instanceof Uint8Array)) {
      throw invalid('checkpoint', 'expected the result of checkpoint()');
    }
    await this.call('restore', { checkpoint: { place, tensors } });
  }

  /**
   * The size of the engine's memory.
   * @returns {Promise<number>} bytes
   */
  memoryBytes() {
    return this.call('memory', {});
  }

  /** Frees everything. Running calls reject with an AbortError, later ones with an InvalidStateError. */
  destroy() {
    if (this.#life.signal.aborted) return;
    this.#life.abort();
    this.#engine.close();
  }

  [Symbol.dispose]() {
    this.destroy();
  }

  async [Symbol.asyncDispose]() {
    this.destroy();
  }

  /**
   * @protected
   * @param {string} method
   * @param {object} args
   * @param {AbortSignal | null} [signal]
   * @returns {Promise<any>}
   */
  async call(method, args, signal) {
    if (this.#life.signal.aborted) {
      throw domException('InvalidStateError', new QkvError('DESTROYED', 'the trainer has been destroyed'));
    }
    try {
      return await this.#engine.call(method, args, { signal: signal ?? undefined });
    } catch (error) {
      if (!this.#life.signal.aborted) throw toPublicError(error);
      throw domException('AbortError', new QkvError('DESTROYED', 'the trainer was destroyed while this was running'));
    }
  }
}

// A model or detector that is being loaded or in memory. All objects that need it share it. If create() is aborted, the
// loading goes on, and the next create() uses its result.

/** @template Loaded */
export class Download {
  /** @type {'downloading' | 'available'} */
  state = 'downloading';
  /** @type {Promise<Loaded>} */
  ready;
  /** The number of objects that use it or wait for it. */
  #holders = 0;
  #loaded = 0;
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #forget;
  #free;

  /**
   * @param {(report: (loaded: number) => void) => Promise<Loaded>} load
   * @param {() => void} forget called when loading has failed, and when no object uses the model any more
   * @param {(loaded: Loaded) => void} free called when no object uses the model any more
   */
  constructor(load, forget, free) {
    this.#forget = forget;
    this.#free = free;
    this.ready = load((loaded) => {
      this.#loaded = loaded;
      for (const tell of this.#listeners) tell();
    });
    this.ready.then(() => (this.state = 'available'), forget);
  }

  /**
   * Waits for the model, and counts the caller as a user.
   * @param {(loaded: number) => void} report gets the loaded share of the bytes that were missing before this call, from 0 to 1
   * @param {AbortSignal} [signal]
   * @returns {Promise<Loaded>} each call needs a later call of `release` or `leave`, unless it rejects
   */
  async hold(report, signal) {
    const before = this.#loaded;
    const tell = () => report((this.#loaded - before) / (1 - before || 1));
    this.#holders++;
    this.#listeners.add(tell);
    try {
      const loaded = await this.ready;
      signal?.throwIfAborted();
      return loaded;
    } catch (error) {
      this.leave();
      throw error;
    } finally {
      this.#listeners.delete(tell);
    }
  }

  /** Ends one use. The model stays in memory for the next one. */
  leave() {
    this.#holders--;
  }

  /** Ends one use. The end of the last use frees the model. */
  release() {
    this.leave();
    this.drop();
  }

  /** Frees the model, unless an object uses it. */
  drop() {
    if (this.#holders > 0) return;
    this.#forget();
    this.ready.then(this.#free, () => {}); // the callers that waited have got the error
  }
}

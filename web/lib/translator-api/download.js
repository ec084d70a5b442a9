// A model or detector that is being loaded or in memory, shared by all objects that need it. If create() is aborted, the
// loading goes on, and the next create() uses it.

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
   * @param {() => void} forget called when it has failed, and when no object uses it any more
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
   * Waits for it, and holds it.
   * @param {(loaded: number) => void} report the share of the rest that is loaded, from 0 to 1
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

  /** Holds it no longer; it stays for the next one. */
  leave() {
    this.#holders--;
  }

  /** Holds it no longer; the last one frees it. */
  release() {
    this.leave();
    this.drop();
  }

  /** Frees it unless an object uses it. */
  drop() {
    if (this.#holders > 0) return;
    this.#forget();
    this.ready.then(this.#free, () => {}); // a failure was reported to those that waited
  }
}

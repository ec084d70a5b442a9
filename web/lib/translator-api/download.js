// What is being loaded, or is in memory, for all who want the same: a model of a pair, a detector. An abort of create() does
// not stop it: the next create() takes it over.

/** @template Loaded */
export class Download {
  /** @type {'downloading' | 'available'} */
  state = 'downloading';
  /** @type {Promise<Loaded>} */
  ready;
  /** How many use it, or wait for it. */
  #holders = 0;
  #loaded = 0;
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #forget;
  #free;

  /**
   * @param {(report: (loaded: number) => void) => Promise<Loaded>} load
   * @param {() => void} forget is called when it has failed, and when nobody uses it any more
   * @param {(loaded: Loaded) => void} free is called when nobody uses any more what was loaded
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
   * @param {(loaded: number) => void} report of what was still to come: from 0 to 1
   * @param {AbortSignal} [signal]
   * @returns {Promise<Loaded>} each is to be followed by `release` or `leave`, unless it rejects
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

  /** Frees it unless somebody holds it. */
  drop() {
    if (this.#holders > 0) return;
    this.#forget();
    this.ready.then(this.#free, () => {}); // who waited for it has been told of a failure
  }
}

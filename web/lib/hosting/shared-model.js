// A model of an engine, shared by its holders: loaded once, freed with the last holder.

/** @typedef {import('../engine/glue.js').WasmModelInfo} WasmModelInfo */
/** @typedef {{model: number, info: WasmModelInfo, files?: Record<string, Blob>}} Loaded `files`: the downloaded files, if they are shared */
/** @typedef {(loaded: number) => void} Progress */

export class SharedModel {
  /**
   * Continues while any holder waits for it.
   * @type {Promise<Loaded>}
   */
  loaded;
  isLoaded = false;
  /** @type {Set<Progress>} one of each holder */
  #holders = new Set();
  #fraction = 0;
  #abandoned = new AbortController();
  #unload;

  /**
   * @param {(signal: AbortSignal, progress: Progress) => Promise<Loaded>} load
   * @param {(model: number) => void} unload
   */
  constructor(load, unload) {
    this.#unload = unload;
    this.loaded = load(this.#abandoned.signal, (fraction) => this.#report(fraction));
    this.loaded.then(
      () => (this.isLoaded = true),
      () => {}, // every holder gets the rejection itself
    );
  }

  /** @param {Progress} progress also identifies the holder: the same function releases it */
  hold(progress) {
    this.#holders.add(progress);
    progress(this.#fraction);
  }

  /**
   * @param {Progress} progress
   * @returns {boolean} whether it was the last holder; then the model is gone
   */
  release(progress) {
    this.#holders.delete(progress);
    if (this.#holders.size > 0) return false;
    this.#abandoned.abort();
    this.loaded.then(
      ({ model }) => this.#unload(model),
      () => {},
    );
    return true;
  }

  /** @param {number} fraction */
  #report(fraction) {
    this.#fraction = Math.max(this.#fraction, fraction);
    for (const progress of this.#holders) progress(this.#fraction);
  }
}

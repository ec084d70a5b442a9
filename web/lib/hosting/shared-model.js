// A model of an engine that several holders share. It is loaded once, and freed when the last holder releases it.

/** @typedef {import('../engine/glue.js').WasmModelInfo} WasmModelInfo */
/** @typedef {{model: number, info: WasmModelInfo, files?: Record<string, Blob>}} Loaded `files`: the downloaded files, if they are shared */
/** @typedef {(loaded: number) => void} Progress */

export class SharedModel {
  /**
   * Loading goes on as long as there is a holder.
   * @type {Promise<Loaded>}
   */
  loaded;
  isLoaded = false;
  /** @type {Set<Progress>} one for each holder */
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
      () => {}, // every holder handles the rejection
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

// Translating a text sentence by sentence, remembering what was translated: as one types, only what changed is done again.

/** @typedef {import('../view/trace.js').Trace} Trace */
/** @typedef {{text: string, trace: Trace | null}} Result */
/** @typedef {{translate: (text: string, options: object) => Promise<string>, trace: (text: string, options: object) => Promise<any>}} Engine */

const kRemembered = 200;

export class Session {
  #engine;
  /** @type {Map<string, Result>} */
  #memory = new Map();

  /** @param {Engine} engine */
  constructor(engine) {
    this.#engine = engine;
  }

  /** @param {string} sentence @returns {Result | null} what is known of it already */
  known(sentence) {
    return this.#memory.get(sentence) ?? null;
  }

  /** @param {string} sentence @param {AbortSignal} signal */
  async translate(sentence, signal) {
    if (!this.known(sentence))
      this.#remember(sentence, { text: await this.#engine.translate(sentence, { signal }), trace: null });
  }

  /** @param {string} sentence @param {AbortSignal} signal */
  async trace(sentence, signal) {
    if (this.known(sentence)?.trace) return;
    const trace = await this.#engine.trace(sentence, { signal });
    this.#remember(sentence, { text: trace.target.text, trace });
  }

  /** @param {string} sentence @param {Result} result */
  #remember(sentence, result) {
    this.#memory.delete(sentence);
    this.#memory.set(sentence, result);
    if (this.#memory.size > kRemembered) this.#memory.delete(/** @type {string} */ (this.#memory.keys().next().value));
  }
}

// Translating a text sentence by sentence, remembering what was translated: as one types, only what changed is done again.

/** @typedef {import('../lib/index.js').Translator} Translator */
/** @typedef {import('../lib/index.js').Trace} Trace */

const kTexts = 500;
const kTraces = 8; // a trace of two long sentences is megabytes

export class Session {
  #translator;
  /** @type {Map<string, string>} */
  #texts = new Map();
  /** @type {Map<string, Trace>} */
  #traces = new Map();

  /** @param {Translator} translator */
  constructor(translator) {
    this.#translator = translator;
  }

  /** A sentence's translation, if it has been made. @param {string} sentence */
  textOf(sentence) {
    return this.#texts.get(sentence);
  }

  /** @param {string} sentence */
  traceOf(sentence) {
    return this.#traces.get(sentence);
  }

  /** @param {string} sentence @param {AbortSignal} signal */
  async translate(sentence, signal) {
    remember(this.#texts, kTexts, sentence, await this.#translator.translate(sentence, { signal, split: false }));
  }

  /** Translates and traces. @param {string} sentence @param {AbortSignal} signal */
  async trace(sentence, signal) {
    const trace = await this.#translator.trace(sentence, { signal });
    remember(this.#texts, kTexts, sentence, trace.target.text);
    remember(this.#traces, kTraces, sentence, trace);
  }
}

/**
 * @template T
 * @param {Map<string, T>} memory
 * @param {number} most
 * @param {string} key
 * @param {T} value
 */
function remember(memory, most, key, value) {
  memory.delete(key);
  memory.set(key, value);
  if (memory.size > most) memory.delete(/** @type {string} */ (memory.keys().next().value));
}

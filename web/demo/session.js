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

  /** Translations that the reader wrote. @type {Map<string, string>} */
  #own = new Map();

  /** @param {Translator} translator */
  constructor(translator) {
    this.#translator = translator;
  }

  /** A sentence's translation, if it has been made. @param {string} sentence */
  textOf(sentence) {
    return this.#own.get(sentence) ?? this.#texts.get(sentence);
  }

  /** @param {string} sentence */
  traceOf(sentence) {
    return this.#traces.get(this.#key(sentence));
  }

  /** @param {string} sentence @param {string | null} target the reader's own translation; null: the model's */
  setOwn(sentence, target) {
    this.#own.clear();
    if (target !== null) this.#own.set(sentence, target);
  }

  /** @param {string} sentence */
  #key(sentence) {
    return JSON.stringify([sentence, this.#own.get(sentence)]);
  }

  /** @param {string} sentence @param {AbortSignal} signal */
  async translate(sentence, signal) {
    remember(this.#texts, kTexts, sentence, await this.#translator.translate(sentence, { signal, split: false }));
  }

  /** Translates and traces; the reader's own translation is traced as it is. @param {string} sentence @param {AbortSignal} signal */
  async trace(sentence, signal) {
    const key = this.#key(sentence);
    const target = this.#own.get(sentence);
    const trace = await (target === undefined
      ? this.#translator.trace(sentence, { signal })
      : this.#translator.trace({ source: sentence, target }, { signal }));
    if (target === undefined) remember(this.#texts, kTexts, sentence, trace.target.text);
    remember(this.#traces, kTraces, key, trace);
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

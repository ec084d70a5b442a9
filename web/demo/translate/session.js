// Translates a text sentence by sentence, and keeps the translations. So only changed sentences are translated while the
// reader types.

import { formatWeight } from '../../view/index.js';
import { noteOf } from '../shared/warnings.js';

/** @typedef {import('../../lib/index.js').Search} Search */
/** @typedef {import('../../lib/index.js').Translator} Translator */
/** @typedef {import('../../lib/index.js').Trace} Trace */
/** @typedef {import('../shared/warnings.js').Doubt} Doubt */

const kTexts = 500;
const kTraces = 8; // a trace of two long sentences is megabytes
const kSearches = 8;

export class Session {
  #translator;
  /** @type {Map<string, {text: string, doubt: Doubt}>} */
  #texts = new Map();
  /** @type {Map<string, Trace>} */
  #traces = new Map();
  /** @type {Map<string, Search>} */
  #searches = new Map();
  /** Translations that the reader wrote. @type {Map<string, string>} */
  #own = new Map();
  /** The reader's choices: each has the ids of the pieces that the translation begins with. The last choice is used. @type {Map<string, number[][]>} */
  #choices = new Map();
  /** The trace of one sentence with vectors. Only one is kept, because vectors are larger than weights. @type {{key: string, trace: Promise<Trace> | null}} */
  #vectors = { key: '', trace: null };

  /** @param {Translator} translator */
  constructor(translator) {
    this.#translator = translator;
  }

  /** A sentence's translation, if it is known. @param {string} sentence */
  textOf(sentence) {
    return this.#own.get(sentence) ?? this.#texts.get(this.#key(sentence))?.text;
  }

  /** Whether the translation was cut or the sentence was not read to its end. @param {string} sentence */
  isCut(sentence) {
    const doubt = this.#doubtOf(sentence);
    return !!doubt && (!!doubt.cut || doubt.warnings.includes('truncated'));
  }

  /**
   * The warnings about the model's translation, as text; often ''. The warning about the source language is left out:
   * source-language.js shows it.
   * @param {string} sentence
   */
  noteOf(sentence) {
    const doubt = this.#doubtOf(sentence);
    if (!doubt) return '';
    return noteOf({ ...doubt, warnings: doubt.warnings.filter((warning) => warning !== 'source-language') }, '');
  }

  /** The confidence, the warnings and the cut of the model's own translation. @param {string} sentence */
  #doubtOf(sentence) {
    return this.#own.has(sentence) ? undefined : this.#texts.get(this.#key(sentence))?.doubt;
  }

  /** @param {string} sentence */
  traceOf(sentence) {
    return this.#traces.get(this.#key(sentence));
  }

  /**
   * How probable the model finds the reader's own translation and, where it is known, its own: the geometric mean of the pieces'
   * probabilities. Null: the reader wrote none.
   * @param {string} sentence
   */
  comparisonOf(sentence) {
    const own = this.#own.has(sentence) ? this.traceOf(sentence) : undefined;
    if (!own) return null;
    const models = this.#traces.get(JSON.stringify([sentence, this.prefixOf(sentence), undefined]));
    const mean = (/** @type {Trace} */ { score, target }) => formatWeight(Math.exp(score / target.pieces.length));
    return `a piece, on average: yours ${mean(own)}${models ? `, the model’s ${mean(models)}` : ''}`;
  }

  /** @param {string} sentence @returns {number[] | null} */
  prefixOf(sentence) {
    return this.#choices.get(sentence)?.at(-1) ?? null;
  }

  /** @param {string} sentence @param {string | null} target the reader's own translation; null: the model's */
  setOwn(sentence, target) {
    this.#own.clear();
    if (target !== null) this.#own.set(sentence, target);
  }

  /** @param {string} sentence @param {number[]} prefix the pieces that its translation begins with from now on */
  choose(sentence, prefix) {
    remember(this.#choices, kTexts, sentence, [...(this.#choices.get(sentence) ?? []), prefix]);
  }

  /** Takes the last choice back. @param {string} sentence */
  undo(sentence) {
    this.#choices.get(sentence)?.pop();
  }

  /**
   * Returns to an earlier choice. If it is not kept, it becomes the only choice.
   * @param {string} sentence
   * @param {number[] | null} prefix null: no choice
   */
  restore(sentence, prefix) {
    const choices = this.#choices.get(sentence) ?? [];
    const at = choices.findLastIndex((choice) => choice.join() === prefix?.join());
    this.#choices.set(sentence, at >= 0 ? choices.slice(0, at + 1) : prefix ? [prefix] : []);
  }

  /** @param {string} sentence @param {unknown} [also] */
  #key(sentence, also) {
    return JSON.stringify([sentence, this.#own.get(sentence) ?? this.prefixOf(sentence), also]);
  }

  /** @param {string} sentence */
  #options(sentence) {
    return { prefix: this.prefixOf(sentence) ?? undefined };
  }

  /** @param {string} sentence @param {AbortSignal} signal */
  async translate(sentence, signal) {
    const key = this.#key(sentence);
    const options = { ...this.#options(sentence), signal, split: false };
    const [{ translation, ...doubt }] = await this.#translator.translateParts(sentence, options);
    remember(this.#texts, kTexts, key, { text: translation, doubt });
  }

  /** The trace of a sentence with queries, keys and values. @param {string} sentence @returns {Promise<Trace>} */
  vectorsOf(sentence) {
    const key = this.#key(sentence);
    if (this.#vectors.key !== key) {
      const target = this.#own.get(sentence);
      const trace =
        target === undefined
          ? this.#translator.trace(sentence, { ...this.#options(sentence), vectors: true })
          : this.#translator.trace({ source: sentence, target }, { vectors: true });
      this.#vectors = { key, trace };
    }
    return /** @type {Promise<Trace>} */ (this.#vectors.trace);
  }

  /**
   * The translation that begins with these pieces. It is not chosen.
   * @param {string} sentence
   * @param {number[]} prefix
   * @param {AbortSignal} signal
   */
  async continued(sentence, prefix, signal) {
    const key = JSON.stringify([sentence, prefix, null]);
    const known = this.#texts.get(key);
    if (known) return known.text;
    const [{ translation, ...doubt }] = await this.#translator.translateParts(sentence, {
      prefix,
      signal,
      split: false,
    });
    remember(this.#texts, kTexts, key, { text: translation, doubt });
    return translation;
  }

  /** Translates and traces. If the reader wrote a translation, that one is traced. @param {string} sentence @param {AbortSignal} signal */
  async trace(sentence, signal) {
    const key = this.#key(sentence);
    const target = this.#own.get(sentence);
    const trace = await (target === undefined
      ? this.#translator.trace(sentence, { ...this.#options(sentence), signal })
      : this.#translator.trace({ source: sentence, target }, { signal }));
    const { cut, confidence, warnings } = trace;
    if (target === undefined)
      remember(this.#texts, kTexts, key, { text: trace.target.text, doubt: { cut, confidence, warnings } });
    remember(this.#traces, kTraces, key, trace);
  }

  /**
   * Searches with a beam.
   * @param {string} sentence
   * @param {number} beam
   * @param {AbortSignal} signal
   * @returns {Promise<Search>}
   */
  async search(sentence, beam, signal) {
    const key = this.#key(sentence, beam);
    const known = this.#searches.get(key);
    if (known) return known;
    const found = await this.#translator.search(sentence, { ...this.#options(sentence), beam, tree: true, signal });
    remember(this.#searches, kSearches, key, found);
    return found;
  }
}

/**
 * Keeps the latest values.
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

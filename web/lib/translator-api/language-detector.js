// The LanguageDetector of the built-in API (https://webmachinelearning.github.io/translation-api/#language-detector-api).
import { member, promised, toDictionary, toTexts } from '../webidl/convert.js';
import { asInterface } from '../webidl/interface.js';
import { availabilityOf, createObject, readCommon, readOperation } from './creation.js';

/** @typedef {import('./creation.js').Availability} Availability */
/** @typedef {import('./creation.js').CoreOptions} CoreOptions */
/** @typedef {import('./creation.js').Common} Common */
/** @typedef {{detectedLanguage: string, confidence: number}} LanguageDetectionResult */

const kInternal = Symbol('internal');

/** @param {Record<string, any>} dictionary @returns {CoreOptions} */
const readCore = (dictionary) => ({
  expectedInputLanguages: member(dictionary, 'expectedInputLanguages', toTexts),
});

/** Detects the language of a text, with the same interface as the browsers' own class. */
export class LanguageDetector {
  static {
    asInterface(this, 'LanguageDetector');
  }
  /** @type {import('./run.js').Model<import('./backends.js').DetectorBackend>} */
  #model;
  /** @type {readonly string[] | null} */
  #expected;

  /** @private */
  constructor() {
    if (arguments[0] !== kInternal) throw new TypeError('Illegal constructor');
    this.#model = arguments[1];
    this.#expected = arguments[2];
  }

  /**
   * @param {CoreOptions & Common} [options]
   * @returns {Promise<LanguageDetector>}
   */
  static create(options = {}) {
    return promised(() => {
      const dictionary = toDictionary(options);
      const given = { ...readCore(dictionary), ...readCommon(dictionary) };
      return createObject('LanguageDetector', given, newLanguageDetector);
    });
  }

  /**
   * @param {CoreOptions} [options]
   * @returns {Promise<Availability>}
   */
  static availability(options = {}) {
    return promised(() => availabilityOf('LanguageDetector', readCore(toDictionary(options))));
  }

  /**
   * @param {string} input
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<LanguageDetectionResult[]>} the likeliest first, and 'und' last
   */
  detect(input, options = {}) {
    return promised(() => {
      const model = this.#model;
      const [text, signal] = readOperation(arguments, input, options);
      return model.run(signal, (backend, both) => backend.detect(text, both));
    });
  }

  get expectedInputLanguages() {
    return this.#expected;
  }

  /**
   * @param {string} input
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<number>}
   */
  measureInputUsage(input, options = {}) {
    return promised(() => {
      const model = this.#model;
      const [text, signal] = readOperation(arguments, input, options);
      return model.run(signal, (backend, both) => backend.measure(text, both));
    });
  }

  get inputQuota() {
    return this.#model.backend.inputQuota;
  }

  destroy() {
    this.#model.destroy();
  }
}

/**
 * @param {import('./run.js').Model<any>} model
 * @param {CoreOptions} options
 * @returns {LanguageDetector}
 */
const newLanguageDetector = (model, { expectedInputLanguages: expected }) =>
  new /** @type {any} */ (LanguageDetector)(kInternal, model, expected?.length ? Object.freeze(expected) : null);

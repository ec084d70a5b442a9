// The Translator of the built-in API (https://webmachinelearning.github.io/translation-api/#translator-api).
import { member, promised, requireArguments, toDictionary, toText } from '../webidl/convert.js';
import { asInterface } from '../webidl/interface.js';
import { availabilityOf, createObject, readCommon, readOperation } from './creation.js';

/** @typedef {import('./creation.js').Availability} Availability */
/** @typedef {import('./creation.js').Common} Common */
/** @typedef {import('../text/languages.js').LanguagePair} LanguagePair */
/** @typedef {{signal?: AbortSignal}} CallOptions */

const kInternal = Symbol('internal');

/** @param {Record<string, any>} dictionary @returns {LanguagePair} */
const readPair = (dictionary) => ({
  sourceLanguage: /** @type {string} */ (member(dictionary, 'sourceLanguage', toText, true)),
  targetLanguage: /** @type {string} */ (member(dictionary, 'targetLanguage', toText, true)),
});

/** Translates, with the same interface as the browsers' own class. */
export class Translator {
  static {
    asInterface(this, 'Translator');
  }
  /** @type {import('./run.js').Model<import('./backends.js').TranslatorBackend>} */
  #model;

  /** @private */
  constructor() {
    if (arguments[0] !== kInternal) throw new TypeError('Illegal constructor');
    this.#model = arguments[1];
  }

  /**
   * @param {LanguagePair & Common} options
   * @returns {Promise<Translator>}
   */
  static create(options) {
    return promised(() => {
      requireArguments(arguments, 1);
      const dictionary = toDictionary(options);
      const given = { ...readPair(dictionary), ...readCommon(dictionary) };
      return createObject('Translator', given, newTranslator);
    });
  }

  /**
   * @param {LanguagePair} options
   * @returns {Promise<Availability>}
   */
  static availability(options) {
    return promised(() => {
      requireArguments(arguments, 1);
      return availabilityOf('Translator', readPair(toDictionary(options)));
    });
  }

  /**
   * @param {string} input
   * @param {CallOptions} [options]
   * @returns {Promise<string>}
   */
  translate(input, options = {}) {
    return promised(() => {
      const model = this.#model;
      const [text, signal] = readOperation(arguments, input, options);
      return model.run(signal, (backend, both) => backend.translate(text, both));
    });
  }

  /**
   * @param {string} input
   * @param {CallOptions} [options]
   * @returns {ReadableStream<string>}
   */
  translateStreaming(input, options = {}) {
    const model = this.#model;
    const [text, signal] = readOperation(arguments, input, options);
    return model.stream(signal, (backend, both) => backend.chunks(text, both));
  }

  get sourceLanguage() {
    return this.#model.backend.sourceLanguage;
  }

  get targetLanguage() {
    return this.#model.backend.targetLanguage;
  }

  /**
   * @param {string} input
   * @param {CallOptions} [options]
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
 * @returns {Translator}
 */
const newTranslator = (model) => new /** @type {any} */ (Translator)(kInternal, model);

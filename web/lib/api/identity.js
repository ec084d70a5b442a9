// The engine for translating a language into itself: it has no model, and each text is its own translation.
import { domException, QkvError } from '../base/errors.js';

/** @typedef {typeof import('../text/sentences.js').splitSentences} Split */
/** @typedef {import('../engine/info.js').TranslatorInfo} TranslatorInfo */

/** Longer than any text. */
const kLongest = 2 ** 30;

/** The details of a part that is its own translation. */
const kSame = { cut: false, truncated: false, confidence: 1, warnings: [] };

/** Has the functions of an engine that a translator calls. */
export class Identity {
  #split;

  /** @param {Split} split */
  constructor(split) {
    this.#split = split;
  }

  /** @returns {TranslatorInfo} */
  static get info() {
    const layers = { encoderLayers: 0, decoderLayers: 0, encoderHeads: 0, decoderHeads: 0, alignmentHeads: [] };
    const size = { parameters: 0, bytes: 0, dModel: 0, vocabularySize: 0, maxLength: kLongest };
    const how = { beam: 1, shortlist: false, copy: /** @type {const} */ ('attention') };
    return { name: 'identity', ...size, ...layers, ...how, engine: 'custom', threads: 1, worker: false };
  }

  /**
   * The same as ModelReference.call.
   * @param {string} method
   * @param {any} args
   * @returns {Promise<any>}
   */
  async call(method, { text, locale, split, parts }) {
    if (method === 'memory') return 0;
    if (method === 'translate') {
      /** @type {import('../text/sentences.js').Part[]} */
      const list = parts ?? (split ? this.#split(text, locale) : [{ text, sentence: true }]);
      return list.map((part) => ({ text: part.text, sentence: part.sentence, translation: part.text, ...kSame }));
    }
    const message = `both languages are the same, so there is no model, and no ${method}: give the option \`model\``;
    throw domException('NotSupportedError', new QkvError('UNSUPPORTED', message));
  }

  release() {}
}

// Says which language a text is in.
import { unlessAborted } from '../base/abort.js';
import { rethrowPublic } from '../base/errors.js';
import { described, invalid, readFields, wholeNumber } from '../base/arguments.js';
import { baseFolder } from '../base/package-file.js';
import { languages } from './languages.js';
import { loadWeights } from './load.js';
import { readText } from './model.js';

/**
 * @typedef {object} DetectOptions
 * @property {number} [top] the most languages to return, the likeliest first; default: 3
 * @property {boolean} [letters] whether to say which letters decided
 * @property {string | URL} [baseUrl] the folder of the package's files, as in `Translator.create`
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} Detected
 * @property {string} language the likeliest: a BCP 47 tag, or 'und' if the text has no letters
 * @property {number} confidence its probability, from 0 to 1
 * @property {{language: string, confidence: number}[]} candidates the likeliest languages; the first is
 *   `language`; empty for a text without letters
 * @property {Float64Array} [letters] with `letters: true`: the share of the attention at each UTF-16 unit of the text. The
 *   sum is at most 1, because a part of the attention belongs to no letter
 */

/**
 * Says which language a text is in. The first call loads the model, about 180 KB. Only the first 2,000 letters are read.
 * @param {string} text
 * @param {DetectOptions} [options]
 * @returns {Promise<Detected>} rejects with a QkvError: INVALID_ARGUMENT, MISSING_FILE, INVALID_FILE; with NetworkError for a
 *   failed download; with `signal.reason`
 */
export async function detectLanguage(text, options) {
  const { top = 3, letters = false, baseUrl, signal } = readFields(options, 'detectLanguage', kOptions);
  if (typeof text !== 'string') throw invalid('text', `expected a string, got ${described(text)}`);
  wholeNumber(top, 1, languages.length, 'top');
  signal?.throwIfAborted();
  const loading = loadWeights(baseFolder(baseUrl));
  const weights = await (signal ? unlessAborted(loading, signal) : loading).catch(rethrowPublic);
  const read = readText(weights, text);
  const candidates = read.languages
    .slice(0, top)
    .map(({ language, probability }) => ({ language, confidence: probability }));
  const first = candidates[0] ?? { language: 'und', confidence: 1 };
  return { ...first, candidates, ...(letters && { letters: read.letters() }) };
}

const kOptions = ['top', 'letters', 'baseUrl', 'signal'];

/**
 * A detector for `qkv/translator-api`.
 * @typedef {object} Detector
 * @property {(text: string) => {detectedLanguage: string, confidence: number}[]} detect every language with its probability,
 *   the likeliest first; 'und' alone for a text without letters
 * @property {(text: string) => number} measure how much of `inputQuota` a text takes: 0, because a text may have any length
 * @property {number} inputQuota
 */

/**
 * Loads the model.
 * @param {{report?: (share: number) => void, baseUrl?: string | URL}} [options]
 * @returns {Promise<Detector>}
 */
export async function loadDetector({ report, baseUrl } = {}) {
  const weights = await loadWeights(baseFolder(baseUrl), report);
  return {
    inputQuota: Infinity,
    measure: () => 0,
    detect(text) {
      const found = readText(weights, text).languages;
      if (found.length === 0) return [{ detectedLanguage: 'und', confidence: 1 }];
      return found.map(({ language, probability }) => ({ detectedLanguage: language, confidence: probability }));
    },
  };
}

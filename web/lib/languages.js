import { packageModels } from './assets.js';
import { described, invalid } from './given.js';

/** @typedef {keyof typeof packageModels} PackageModel */

/**
 * The language of a BCP 47 tag, without region or script: 'en' of 'en-GB'.
 * @param {unknown} tag
 * @param {string} option for the error
 */
function language(tag, option) {
  try {
    if (typeof tag === 'string') return new Intl.Locale(tag).language;
  } catch {
    // It is no tag.
  }
  throw invalid(option, `expected a language tag, such as 'en', got ${described(tag)}`);
}

/**
 * The package's own model for this pair; null where it has none. Throws a QkvError, code INVALID_ARGUMENT, for
 * what are no language tags.
 * @param {{sourceLanguage: string, targetLanguage: string}} pair
 * @returns {PackageModel | null}
 */
export function packageModel({ sourceLanguage, targetLanguage }) {
  const pair = `${language(sourceLanguage, 'sourceLanguage')}-${language(targetLanguage, 'targetLanguage')}`;
  return Object.hasOwn(packageModels, pair) ? /** @type {PackageModel} */ (pair) : null;
}

/** Under which translators share a model of the package's. @param {PackageModel} name */
export const packageKey = (name) => `package:${name}`;

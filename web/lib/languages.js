import { packageModels } from './assets.js';

/** @typedef {keyof typeof packageModels} PackageModel */

/**
 * The language of a BCP 47 tag, without region or script: 'en' of 'en-GB'.
 * @param {unknown} tag
 * @param {string} option for the error
 */
function language(tag, option) {
  if (typeof tag !== 'string') throw new TypeError(`${option} must be a language tag, such as 'en'`);
  return new Intl.Locale(tag).language; // a RangeError for what is no tag
}

/**
 * The package's own model for this pair; null where it has none. Throws a TypeError or a RangeError for what are no
 * language tags.
 * @param {{sourceLanguage: string, targetLanguage: string}} pair
 * @returns {PackageModel | null}
 */
export function packageModel({ sourceLanguage, targetLanguage }) {
  const pair = `${language(sourceLanguage, 'sourceLanguage')}-${language(targetLanguage, 'targetLanguage')}`;
  return Object.hasOwn(packageModels, pair) ? /** @type {PackageModel} */ (pair) : null;
}

/** Under which translators share a model of the package's. @param {PackageModel} name */
export const packageKey = (name) => `package:${name}`;

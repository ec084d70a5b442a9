import { described, invalid } from '../base/arguments.js';
import { languageOf } from './tags.js';

/** @typedef {{sourceLanguage: string, targetLanguage: string}} LanguagePair BCP 47 tags, such as 'en' or 'fr-CA' */

/**
 * The language of a BCP 47 tag, without region or script: 'en' for 'en-GB'.
 * @param {unknown} tag
 * @param {string} option for the error
 */
function language(tag, option) {
  try {
    if (typeof tag === 'string') return new Intl.Locale(tag).language;
  } catch {
    // It is not a tag.
  }
  throw invalid(option, `expected a language tag, such as 'en', got ${described(tag)}`);
}

/**
 * A pair of languages, such as 'en-fr'. Throws a QkvError, code INVALID_ARGUMENT, if they are not language tags.
 * @param {LanguagePair} languages
 */
export const pairOf = ({ sourceLanguage, targetLanguage }) =>
  `${language(sourceLanguage, 'sourceLanguage')}-${language(targetLanguage, 'targetLanguage')}`;

/**
 * Whether a text is its own translation, as between 'en-US' and 'en-GB'. Throws as `pairOf` does.
 * @param {LanguagePair} languages
 */
export function isIdentity(languages) {
  pairOf(languages);
  return languageOf(languages.sourceLanguage) === languageOf(languages.targetLanguage);
}

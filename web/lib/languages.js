/** What the package's own model translates. */
const kPackagePair = { source: 'en', target: 'fr' };

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
 * Whether the package's own model does this pair. Throws a TypeError or a RangeError for what are no language tags.
 * @param {{sourceLanguage: string, targetLanguage: string}} pair
 */
export function isPackagePair({ sourceLanguage, targetLanguage }) {
  const source = language(sourceLanguage, 'sourceLanguage');
  const target = language(targetLanguage, 'targetLanguage');
  return source === kPackagePair.source && target === kPackagePair.target;
}

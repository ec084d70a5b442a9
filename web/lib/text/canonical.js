/**
 * The canonical spelling of a language tag (BCP 47): 'en-GB' for 'EN-gb'. Throws a RangeError for anything that is not a tag.
 * @param {string} tag
 */
export const canonicalTag = (tag) => Intl.getCanonicalLocales(tag)[0];

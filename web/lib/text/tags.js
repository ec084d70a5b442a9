/**
 * The language that a model would be of: the tag's own without its region, and with its script only where that is not the
 * language's usual one. 'en' of 'en-GB', 'zh-Hant' of 'zh-TW'. Two tags with the same one need no translation.
 * @param {string} tag
 */
export function languageOf(tag) {
  const { language } = new Intl.Locale(tag);
  const script = (/** @type {string} */ of) => new Intl.Locale(of).maximize().script;
  return script(tag) === script(language) ? language : `${language}-${script(tag)}`;
}

/**
 * The language of a tag as models distinguish them: without region, and with the script only if it is not the language's
 * usual one. 'en' for 'en-GB', 'zh-Hant' for 'zh-TW'. Between two tags with the same result no translation is needed.
 * @param {string} tag
 */
export function languageOf(tag) {
  const { language } = new Intl.Locale(tag);
  const script = (/** @type {string} */ of) => new Intl.Locale(of).maximize().script;
  return script(tag) === script(language) ? language : `${language}-${script(tag)}`;
}

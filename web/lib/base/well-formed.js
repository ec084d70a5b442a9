/**
 * The text with every lone surrogate replaced by U+FFFD, as UTF-8 demands. Lengths and offsets in UTF-16 units do not change.
 * @param {string} text
 * @returns {string}
 */
export function wellFormed(text) {
  if ('toWellFormed' in String.prototype) return /** @type {any} */ (text).toWellFormed();
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

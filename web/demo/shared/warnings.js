// Warnings about a translation, in words.

/** @typedef {Pick<import('../../lib/index.js').Trace, 'cut' | 'confidence' | 'warnings'>} Doubt */

/** Below this confidence most translations are worse than the median (docs/carried.md). */
const kDoubt = 0.5;

/** @type {Record<Exclude<Doubt['warnings'][number], 'source-language'>, string>} */
const kTexts = {
  copied: 'some of it was carried over as it is',
  truncated: 'the end of the sentence was not read',
  repetition: 'it repeated itself, and was cut',
};

/**
 * @param {Doubt} doubt
 * @param {string} language the name of the source language
 * @returns {string} often ''
 */
export function noteOf({ cut, confidence, warnings }, language) {
  const notes = warnings.map((warning) =>
    warning === 'source-language' ? `this does not look like ${language}` : kTexts[warning],
  );
  if (cut === 'length') notes.unshift('it did not end, and was cut');
  if (confidence < kDoubt && !warnings.includes('source-language')) notes.push('the model is in doubt');
  return notes.join('; ');
}

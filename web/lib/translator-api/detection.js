// What a detector finds, in the form that the specification gives to it
// (https://webmachinelearning.github.io/translation-api/#language-detector-algorithm).

/** @typedef {import('./detectors.js').Result} Result */

/** Languages are listed until their confidences sum up to this. */
const kEnough = 0.99;

/**
 * The likeliest languages, and last 'und' with what is left of 1.
 * @param {Result[]} found in any order
 * @returns {Result[]}
 */
export function asSpecified(found) {
  const unknown = found.find(({ detectedLanguage }) => detectedLanguage === 'und')?.confidence ?? 0;
  const known = found.filter(({ detectedLanguage }) => detectedLanguage !== 'und');
  /** @type {Result[]} */
  const results = [];
  let sum = 0;
  for (const { detectedLanguage, confidence } of known.sort((a, b) => b.confidence - a.confidence)) {
    if (confidence === 0 || confidence < unknown || sum >= kEnough) break;
    results.push({ confidence, detectedLanguage });
    sum += confidence;
  }
  return [...results, { confidence: Math.max(1 - sum, 0), detectedLanguage: 'und' }];
}

// The results of a detector in the form that the specification prescribes
// (https://webmachinelearning.github.io/translation-api/#language-detector-algorithm).

/** @typedef {import('./detectors.js').Result} Result */

/** Languages are listed until the sum of their confidences reaches this. */
const kEnough = 0.99;

/**
 * The likeliest languages, and at the end 'und' with the rest up to 1.
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

// The texts of the soak tests: the goldens' sentences, repeated.

import { isTie, translations } from '../translations.js';

/** A hundred sentences with PyTorch's translations by beam search and by greedy search. */
export const sentences = translations;

const seen = new Map();

/**
 * Whether a text is the same as in earlier calls, and PyTorch's translation unless rounding may decide.
 * @param {import('../translations.js').Found} expected
 * @param {string} text
 */
export function isRight(expected, text) {
  if (!seen.has(expected)) seen.set(expected, text);
  return text === seen.get(expected) && (text === expected.text || isTie(expected));
}

// What the soaks translate: the goldens' sentences, over and over.

import { isTie, translations } from '../translations.js';

/** A hundred sentences with their best translations in beam search and in greedy search. */
export const sentences = translations;

const said = new Map();

/**
 * Whether a text is PyTorch's translation, or, where rounding may turn a decision, at least what it always was.
 * @param {import('../translations.js').Found} expected
 * @param {string} text
 */
export function isRight(expected, text) {
  if (!said.has(expected)) said.set(expected, text);
  return text === said.get(expected) && (text === expected.text || isTie(expected));
}

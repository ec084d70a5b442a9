// The texts of some work, each one sentence.

import { architectures } from './architectures.mjs';
import { makeSentence, makeVocabulary } from './vocabulary.mjs';

/**
 * @param {import('../workloads.mjs').Translate} work
 * @returns {{texts: string[], words: number}}
 */
export function textsOf({ model, length, sentences }) {
  const vocabulary = makeVocabulary(architectures[model].vocabulary);
  const texts = Array.from({ length: sentences }, (_, number) => makeSentence(vocabulary, length, number));
  return { texts, words: texts.reduce((sum, text) => sum + text.split(' ').length, 0) };
}

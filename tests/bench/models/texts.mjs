// Makes the texts of a workload, one sentence each, and their ids.

import { architectures, kEnd } from './architectures.mjs';
import { kSpace, makeSentence, makeVocabulary, segment } from './vocabulary.mjs';

/**
 * @param {Pick<import('../workloads.mjs').Translate, 'model' | 'length' | 'sentences'>} work
 * @returns {{texts: string[], words: number}}
 */
export function textsOf({ model, length, sentences }) {
  const vocabulary = makeVocabulary(architectures[model].vocabulary);
  const texts = Array.from({ length: sentences }, (_, number) => makeSentence(vocabulary, length, number));
  return { texts, words: texts.reduce((sum, text) => sum + text.split(' ').length, 0) };
}

/**
 * The pieces of each text, </s> included.
 * @param {Pick<import('../workloads.mjs').Translate, 'model' | 'length' | 'sentences'>} work
 */
export function idsOf(work) {
  const segmentText = segment(makeVocabulary(architectures[work.model].vocabulary));
  return textsOf(work).texts.map((text) => [...segmentText(text), kEnd]);
}

/** From ids, without </s>, to text. @param {string} model @returns {(ids: number[]) => string} */
export function speller(model) {
  const { pieces } = makeVocabulary(architectures[model].vocabulary);
  return (ids) =>
    ids
      .map((id) => pieces[id].text)
      .join('')
      .replaceAll(kSpace, ' ')
      .trim();
}

/** Lines as numbers, to be compared: the code of each letter. @param {string[]} lines */
export const letters = (lines) => Float32Array.from(lines.join('\n'), (letter) => letter.charCodeAt(0));

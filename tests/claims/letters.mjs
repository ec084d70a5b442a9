// Small tasks on strings of letters with known answers: which place of the source each output letter needs.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uniform } from '../bench/random.mjs';

/** @typedef {(source: string) => string} Task */

/** The expected output. @type {Record<string, Task>} */
export const answers = {
  copy: (source) => source, // place t at step t
  doubling: (source) => [...source].map((letter) => letter + letter).join(''), // place t / 2
  reversal: (source) => [...source].reverse().join(''), // place S - 1 - t
};

export const letters = [...'abcdefgh'];

/** Different strings of `least` to `most` letters, none of them in `known`. */
export function drawStrings({ count, least, most, seed, known = new Set() }) {
  const random = uniform(seed);
  const below = (n) => Math.floor(random() * n);
  const drawn = new Set();
  while (drawn.size < count) {
    const length = least + below(most - least + 1);
    const string = Array.from({ length }, () => letters[below(letters.length)]).join('');
    if (!known.has(string)) drawn.add(string);
  }
  return [...drawn];
}

/** Lines of SOURCE<TAB>TARGET. @param {string[]} sources @param {Task} task */
export const pairs = (sources, task) => sources.map((source) => `${source}\t${task(source)}\n`).join('');

/**
 * The share of sources whose whole output is correct. @param {string[]} sources @param {string[]} written @param {Task}
 * task
 */
export function exact(sources, written, task) {
  if (written.length !== sources.length) throw new Error(`${written.length} answers to ${sources.length} strings`);
  return sources.filter((source, i) => written[i] === task(source)).length / sources.length;
}

// The fields of sentencepiece_model.proto that a vocabulary of letters needs.
const bytes = (field, value) => Buffer.concat([Buffer.from([(field << 3) | 2, value.length]), value]);
const number = (field, value) => Buffer.from([field << 3, value]);
const kNormal = 1;
const kUnknown = 2;
const kControl = 3;
const piece = (text, kind) => bytes(1, Buffer.concat([bytes(1, Buffer.from(text)), number(3, kind)]));

/** Writes source.spm and vocab.json, where each letter is a piece. @param {string} folder */
export function writeVocabulary(folder) {
  const normalizer = [bytes(1, Buffer.from('identity')), number(3, 0)]; // no space before the text
  const model = [
    piece('<unk>', kUnknown),
    piece('</s>', kControl),
    ...letters.map((letter) => piece(letter, kNormal)),
    bytes(2, number(3, 1)), // a unigram model
    bytes(3, Buffer.concat(normalizer)),
  ];
  const rows = ['</s>', '<unk>', ...letters, '<pad>'].map((text, row) => [text, row]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'source.spm'), Buffer.concat(model));
  writeFileSync(join(folder, 'vocab.json'), JSON.stringify(Object.fromEntries(rows)));
}

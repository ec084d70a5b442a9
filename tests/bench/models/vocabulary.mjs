// A SentencePiece model of invented words, and sentences with a known number of pieces.
//
// It is a unigram model in which all pieces are about equally likely, so a word is segmented into as few pieces as
// possible. Scores lie between -10 and -9: two pieces, -20 at the least, are always better than three.

import { seedOf, uniform } from '../random.mjs';
import { fieldsOf } from '../../../web/tools/spm-pieces.mjs';
import { Message } from '../onnx/protobuf.mjs';

const kConsonants = 'b c d f g h k l m n p r s t v w st tr pl'.split(' ');
const kVowels = 'a e i o u ea ou'.split(' ');
const kSyllables = kConsonants.flatMap((consonant) => kVowels.map((vowel) => consonant + vowel));
export const kSpace = '\u2581';
const kNormal = 1;
const kUnknown = 2;
const kControl = 3;
const kCapitals = 1000;

/** @typedef {{text: string, type: number}} Piece */
/** @typedef {{pieces: Piece[], capitals: string[], words: string[], known: Set<string>}} Vocabulary */

/** @param {number} size @returns {Vocabulary} */
export function makeVocabulary(size) {
  const pick = picker('vocabulary');
  const word = () => Array.from({ length: 2 + Math.floor(2 * pick.next()) }, () => pick.from(kSyllables)).join('');
  const known = new Set(['.', kSpace, ...'abcdefghijklmnopqrstuvwxyz', ...kSyllables]);
  const fresh = (text) => (known.has(text) ? '' : (known.add(text), text));
  const draw = (make, count) => {
    const drawn = [];
    while (drawn.length < count) drawn.push(...[fresh(make())].filter(Boolean));
    return drawn;
  };
  const capitals = draw(() => kSpace + capitalised(word()), Math.min(kCapitals, Math.floor(size / 8)));
  const words = draw(() => kSpace + word(), size - 3 - known.size);
  const normal = [...known].map((text) => ({ text, type: kNormal }));
  const pieces = [{ text: '</s>', type: kControl }, { text: '<unk>', type: kUnknown }, ...normal];
  return { pieces: [...pieces, { text: '<pad>', type: kControl }], capitals, words, known };
}

const capitalised = (word) => word[0].toUpperCase() + word.slice(1);

function picker(name) {
  const next = uniform(seedOf(name));
  return { next, from: (list) => list[Math.floor(list.length * next())] };
}

/**
 * A sentence of `count` pieces, its full stop and </s> included: some of its words are one piece, some two.
 * @param {Vocabulary} vocabulary
 * @param {number} count
 * @param {number} number another one for each
 */
export function makeSentence({ capitals, words, known }, count, number) {
  const pick = picker(`sentence ${count} ${number}`);
  const inWords = count - 2;
  const compounds = Math.round(0.3 * inWords);
  const lengths = Array.from({ length: inWords - compounds - 1 }, (_, i) => (i < compounds ? 2 : 1));
  // Frequent words come first in the vocabulary, as in real vocabularies.
  const frequent = () => words[Math.floor(words.length * pick.next() ** 3)];
  const compound = () => {
    const text = frequent() + pick.from(kSyllables);
    return known.has(text) ? compound() : text;
  };
  const shuffled = lengths.map((length) => ({ length, key: pick.next() })).toSorted((a, b) => a.key - b.key);
  const all = [pick.from(capitals), ...shuffled.map(({ length }) => (length === 2 ? compound() : frequent()))];
  return `${all.map((word) => word.slice(1)).join(' ')}.`;
}

/**
 * Cuts sentences of makeSentence into ids: a word that is no piece has two, its likeliest, and the full stop is one.
 * @param {Vocabulary} vocabulary
 * @returns {(text: string) => number[]}
 */
export function segment({ pieces }) {
  const ids = new Map(pieces.map(({ text }, id) => [text, id]));
  const inTwo = (word) => {
    const splits = Array.from(word.slice(1), (_, i) => [word.slice(0, i + 1), word.slice(i + 1)]);
    const known = splits.map((parts) => parts.map((part) => ids.get(part))).filter((pair) => !pair.includes(undefined));
    return known.reduce((a, b) => (sumOf(b) < sumOf(a) ? b : a));
  };
  const cut = (word) => (ids.has(word) ? [ids.get(word)] : inTwo(word));
  return (text) => [
    ...text
      .slice(0, -1)
      .split(' ')
      .flatMap((word) => cut(kSpace + word)),
    ids.get('.'),
  ];
}

/** The lower it is, the likelier the pieces are. */
const sumOf = ([a, b]) => a + b;

/** vocab.json: the row of each piece is its index. @param {Vocabulary} vocabulary */
export const vocabJson = ({ pieces }) => Object.fromEntries(pieces.map(({ text }, row) => [text, row]));

/**
 * source.spm, a ModelProto (sentencepiece_model.proto).
 * @param {Vocabulary} vocabulary
 * @param {Uint8Array} normalizer a NormalizerSpec
 */
export function spm({ pieces }, normalizer) {
  const model = new Message();
  pieces.forEach(({ text, type }, id) => {
    const score = type === kNormal ? -9 - id / pieces.length : 0;
    model.message(1, new Message().string(1, text).float(2, score).int(3, type));
  });
  const kUnigram = 1;
  const trainer = new Message().int(3, kUnigram).int(4, pieces.length);
  const ids = { 40: 1, 41: -1, 42: 0, 43: pieces.length - 1 }; // unk, bos, eos, pad
  for (const [field, id] of Object.entries(ids)) trainer.int(Number(field), id);
  return model.message(2, trainer).bytes(3, normalizer).finish();
}

/** The NormalizerSpec in a .spm file. @param {Uint8Array} file */
export function normalizerOf(file) {
  const [normalizer] = fieldsOf(file, 3);
  if (!normalizer) throw new Error('a .spm file without a NormalizerSpec');
  return normalizer;
}

// The input of the detector: its letters in lower case, and the n-grams of its words as hashes. The core computes the
// same (core/detect/letters.h).

/** The character before, between and after words. */
export const kEdge = 0x20;
/** The longest n-gram, edges included. */
const kLongest = 8;
/** Only so many letters of a text are read, and so many UTF-16 units. */
const kMostLetters = 2000;
const kMostUnits = 1 << 16;

/** The hash of a block is that of a number above all code points. */
export const kBlocks = 0x110000;

/**
 * The letters of a text: code points, and the units that each came from. A word is a run of letters and marks.
 * @typedef {{points: number[], begin: number[], end: number[]}} Letters
 */

/**
 * @param {string} text
 * @returns {Letters} empty if there are no letters; otherwise it begins and ends with an edge
 */
export function readLetters(text) {
  // Letters in lower case; other characters between two letters become one edge.
  /** @type {Letters} */
  const letters = { points: [], begin: [], end: [] };
  const read = text.slice(0, kMostUnits);
  let count = 0;
  for (const { characters, begin, end } of composed(read)) {
    for (const character of characters) {
      if (count === kMostLetters) break;
      const isLetter = /[\p{L}\p{M}]/u.test(character);
      if (!isLetter) {
        if (letters.points.length > 0 && letters.points.at(-1) !== kEdge) add(letters, kEdge, begin, begin);
        continue;
      }
      if (letters.points.length === 0) add(letters, kEdge, begin, begin);
      for (const lower of character.toLowerCase())
        add(letters, /** @type {number} */ (lower.codePointAt(0)), begin, end);
      ++count;
    }
  }
  // An edge after the last word.
  const last = letters.end.at(-1);
  if (last !== undefined && letters.points.at(-1) !== kEdge) add(letters, kEdge, last, last);
  return letters;
}

/** @param {Letters} letters @param {number} point @param {number} begin @param {number} end */
function add(letters, point, begin, end) {
  letters.points.push(point);
  letters.begin.push(begin);
  letters.end.push(end);
}

/**
 * The characters of a text in Unicode's normal form C, with their places in the text as it is.
 * @param {string} text
 * @returns {Generator<{characters: string, begin: number, end: number}>}
 */
function* composed(text) {
  const isComposed = text.normalize('NFC') === text;
  // Normal form C composes a letter with its marks, and the parts of a Korean syllable.
  const parts = isComposed ? /./gsu : /[\u1100-\u11ff]+|\P{M}\p{M}*|\p{M}/gsu;
  for (const { 0: part, index } of text.matchAll(parts)) {
    yield { characters: isComposed ? part : part.normalize('NFC'), begin: index, end: index + part.length };
  }
}

/** The start value of a hash. It is FNV-1a over code points. */
export const kBasis = 0x811c9dc5;
export const addToHash = (/** @type {number} */ state, /** @type {number} */ point) =>
  Math.imul(state ^ point, 16777619);

/** The 24 bits of a hash, after the finaliser of MurmurHash3. @param {number} state */
export function finishHash(state) {
  let h = state;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 8;
}

/** The hash of a letter's block: 128 code points up to U+3000, and 4096 from there on. @param {number} point */
const blockHash = (point) =>
  finishHash(addToHash(kBasis, kBlocks + (point < 0x3000 ? point >> 7 : 0x1000 + (point >> 12))));

/**
 * The rows of a text's n-grams, with the letters of each. Every text has row 0. Each letter has its own row, otherwise the
 * row of its block. A run of 2 to 8 letters of a word, edges included, may have a row.
 * @param {Letters} letters
 * @param {(hash: number) => number} rowOf 0: none
 * @returns {{row: number, first: number, count: number}[]}
 */
export function rowsOf({ points }, rowOf) {
  const rows = [{ row: 0, first: 0, count: 0 }];
  for (let first = 0; first < points.length; ++first) {
    let state = kBasis;
    const most = Math.min(kLongest, points.length - first);
    for (let count = 1; count <= most; ++count) {
      const point = points[first + count - 1];
      state = addToHash(state, point);
      if (count > 1 || point !== kEdge) {
        const row = rowOf(finishHash(state)) || (count === 1 ? rowOf(blockHash(point)) : 0);
        if (row > 0) rows.push({ row, first, count });
      }
      if (count > 1 && point === kEdge) break;
    }
  }
  return rows;
}

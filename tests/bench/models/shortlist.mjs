// shortlist.bin, a lexical shortlist in Marian's binary format: for each source piece the likely target pieces.
//
//   u64 magic, checksum, first, best, offsets, ids; u64 offset of each source piece's ids and of the end; u32 ids
//
// The `first` pieces of the vocabulary are always in the list. The checksum covers everything after it.

import { seedOf, uniform } from '../random.mjs';

const kMagic = 0xf11a48d5013417f5n;
const kFirst = 50;
const kBest = 36;
// Frequent words come first and are in most lists. With this exponent a sentence of 32 pieces gets about 1,000 pieces.
const kSteepness = 5;

/** @param {number} vocabulary @returns {Uint32Array} [vocabulary, kBest], ascending for each piece */
function draw(vocabulary) {
  const next = uniform(seedOf('shortlist'));
  const lists = new Uint32Array(vocabulary * kBest);
  for (let piece = 0; piece < vocabulary; ++piece) {
    const ids = new Set();
    while (ids.size < kBest) ids.add(Math.floor((vocabulary - 1) * next() ** kSteepness));
    lists.set(
      [...ids].sort((a, b) => a - b),
      piece * kBest,
    );
  }
  return lists;
}

/** Marian's hashMem: boost's hash_combine over words of 64 bits. @param {BigUint64Array} words */
function checksum(words) {
  let seed = 0n;
  for (const word of words) seed = BigInt.asUintN(64, seed ^ (word + 0x9e3779b9n + (seed << 6n) + (seed >> 2n)));
  return seed;
}

/** @param {number} vocabulary pieces on both sides */
export function shortlistFile(vocabulary) {
  const lists = draw(vocabulary);
  const kHeader = 6;
  const words = new BigUint64Array(kHeader + vocabulary + 1 + lists.length / 2);
  const header = [kMagic, 0, kFirst, kBest, vocabulary + 1, lists.length].map(BigInt);
  words.set(header);
  for (let piece = 0; piece <= vocabulary; ++piece) words[kHeader + piece] = BigInt(piece * kBest);
  new Uint32Array(words.buffer, (kHeader + vocabulary + 1) * 8).set(lists);
  words[1] = checksum(words.subarray(2));
  return new Uint8Array(words.buffer);
}

/** The pieces to use where a lookup is not part of the work: as many, spread over the vocabulary, </s> first. */
export const fixedShortlist = (vocabulary, size) =>
  Array.from({ length: size }, (_, i) => i * Math.floor(vocabulary / size));

// The differences between two texts, word by word.

import { make } from '../shared/dom.js';

/** The words of a text. Words outside the longest common subsequence with another text are marked. @param {string} text @param {string} other @returns {(Node | string)[]} */
export function markDifferences(text, other) {
  const [words, others] = [text, other].map((one) => one.split(/(?<=\s)/));
  const common = commonOf(
    words.map((word) => word.trim()),
    others.map((word) => word.trim()),
  );
  return words.map((word, i) => (common.has(i) ? word : make('mark', {}, word)));
}

/** The places of a longest common subsequence in the first list. @param {string[]} a @param {string[]} b @returns {Set<number>} */
function commonOf(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j)
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  }
  const places = new Set();
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      places.add(i);
      [i, j] = [i + 1, j + 1];
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) ++i;
    else ++j;
  }
  return places;
}

// The random numbers of the generators of tasks: one stream of numbers for each seed, the same in every browser.

import { uniform } from '../attention/random.js';

/** @typedef {ReturnType<typeof drawer>} Draw */

/** @param {number} seed */
export function drawer(seed) {
  const next = uniform(seed);
  const below = (/** @type {number} */ n) => Math.floor(next() * n);
  return {
    /** In [0, 1). */
    next,
    /** A whole number in [0, n). */
    below,
    /** A whole number from `least` to `most`. @param {number} least @param {number} most */
    from: (least, most) => least + below(most - least + 1),
    /** One of a list. @template T @param {readonly T[]} list @returns {T} */
    of: (list) => list[below(list.length)],
  };
}

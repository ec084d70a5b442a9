// Random numbers for the tasks. A seed gives the same numbers in every browser.

import { uniform } from '../attention/random.js';

/** @typedef {ReturnType<typeof randomDraws>} Draw */

/** @param {number} seed */
export function randomDraws(seed) {
  const next = uniform(seed);
  const below = (/** @type {number} */ n) => Math.floor(next() * n);
  return {
    /** In [0, 1). */
    next,
    /** An integer in [0, n). */
    below,
    /** An integer from `least` to `most`. @param {number} least @param {number} most */
    from: (least, most) => least + below(most - least + 1),
    /** One of a list. @template T @param {readonly T[]} list @returns {T} */
    of: (list) => list[below(list.length)],
  };
}

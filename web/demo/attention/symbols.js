// Symbols within sentences.

import { equation } from '../../view/math.js';

/**
 * A sentence whose symbols, such as W_q, are drawn as in the equations, and whose lines do not break within `n < d`.
 * @param {string} text
 * @returns {(string | Element)[]}
 */
export const withSymbols = (text) =>
  text
    .replace(/ ([=<+−]) /g, '\u00a0$1\u00a0')
    .split(/\b([A-Za-z]_[a-z])\b/)
    .filter((part) => part !== '')
    .map((part) => (/^\w_\w$/.test(part) ? equation(part) : part));

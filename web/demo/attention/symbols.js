// Symbols within sentences.

import { equation } from '../../view/math.js';
import { make } from '../shared/dom.js';

/**
 * Makes a sentence whose symbols, such as W_q, look as in the equations. No line breaks within `n < d`, and none breaks between a
 * symbol and the mark after it.
 * @param {string} text
 * @returns {(string | Element)[]}
 */
export const withSymbols = (text) =>
  text
    .replace(/ ([=<+−]) /g, '\u00a0$1\u00a0')
    .split(/\b([A-Za-z]_[a-z]\b[.,:;，。、：；]?)/)
    .filter((part) => part !== '')
    .map((part) => (/^\w_\w/.test(part) ? make('span.symbol', {}, equation(part.slice(0, 3)), part.slice(3)) : part));

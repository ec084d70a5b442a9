// Converts a trace of an Encoder or a Generator of 'qkv/models' to a trace for the elements. Pieces are shown as their text,
// because each family of models writes its vocabulary in a different way.

import { labelOf } from './trace.js';

/** @typedef {import('./trace.js').Label} Label */
/** @typedef {import('./trace.js').Side} Side */
/** @typedef {import('./trace.js').Trace} Trace */
/** @typedef {import('./trace.js').Weights} Weights */

/**
 * @typedef {object} TracedPieces
 * @property {string[]} pieces
 * @property {Int32Array} ids
 * @property {Int32Array} begin
 * @property {Int32Array} end
 * @property {Int32Array} of the text of each piece; -1: a special piece
 */

/**
 * @param {TracedPieces & {encoderSelf: Weights}} traced
 * @param {string} text the traced text
 * @param {string} [second] the second text of a pair
 * @returns {Trace}
 */
export function encoderTrace(traced, text, second = '') {
  return {
    source: sideOf(traced, text, second),
    target: null,
    targetInput: null,
    encoderSelf: traced.encoderSelf,
    cross: null,
  };
}

/**
 * @param {TracedPieces & {logProbs: Float32Array, decoderSelf: Weights}} traced
 * @param {string} text the traced text
 * @returns {Trace}
 */
export function generatorTrace(traced, text) {
  const target = { ...sideOf(traced, text), logProbs: [undefined, ...traced.logProbs] };
  return { source: null, target, targetInput: null, decoderSelf: traced.decoderSelf, cross: null };
}

/** @param {TracedPieces} traced @param {string} text @param {string} [second] @returns {Side} */
function sideOf({ pieces, ids, begin, end, of }, text, second = '') {
  let last = -1;
  const labels = pieces.map((piece, i) => {
    // A tokenizer may put a piece of spaces before a word. It has the span of the word's first character.
    const hasText = of[i] >= 0 && !/^[▁Ġ]+$/.test(piece);
    const surface = hasText ? [text, second][of[i]].slice(begin[i], end[i]) : '';
    const label = labelShown(piece, surface, last < 0 || begin[i] > last || of[i] !== of[i - 1]);
    last = of[i] < 0 ? -1 : end[i];
    return label;
  });
  return { text, pieces, ids, begin, end, labels };
}

/** @param {string} piece @param {string} surface the text that it stands for @param {boolean} apart whether there is a gap before it @returns {Label} */
function labelShown(piece, surface, apart) {
  const shown = surface.trim();
  if (!shown) return { ...labelOf(piece.replaceAll('Ġ', '▁')), word: true };
  return { text: shown, word: apart || /^\s/.test(surface), special: labelOf(piece).special };
}

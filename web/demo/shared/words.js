// The names and explanations of the attention card.

/** @typedef {import('../../view/trace.js').Kind} Kind */

/**
 * @typedef {object} KindWords
 * @property {string} name
 * @property {string} caption how to read the matrix
 * @property {string} lines how to read the lines
 * @property {string} queries the axes' names
 * @property {string} keys
 */

/**
 * @typedef {object} Words
 * @property {Record<Kind, KindWords>} kinds
 * @property {string} none of a model without the attention in view
 * @property {string} empty before there is anything to look at
 */

export const kUndrawn = 'Under 0.05 none is drawn.';
/** Of a decoder that reads its past by a recurrence. */
export const kGates = {
  caption: 'Each row is a piece as it is written; its cells say how much of each unit of the past is kept: all is 1.',
  keys: 'units of the one row that is kept of the past',
};
export const kWindow = 'Outlined: the window that it looked through, and the window’s middle.';

/** @param {string} read the language @param {string} written @returns {Words} */
export const translation = (read, written) => ({
  kinds: {
    cross: {
      name: 'Cross attention',
      caption: `Each row is a ${written} piece as it is written; its cells say how much of each ${read} piece it read.`,
      lines: `Lines lead from each ${written} piece, as it is written, up to the ${read} pieces it read.`,
      queries: 'target: what is written',
      keys: 'source: what is read',
    },
    encoderSelf: {
      name: 'Encoder self-attention',
      caption: `Each row is a piece of the ${read}; its cells say how much it took in of every piece of it.`,
      lines: `Lines lead from each ${read} piece, below, up to the ${read} pieces it took in.`,
      queries: 'source: what takes in',
      keys: 'source: what is taken in',
    },
    decoderSelf: {
      name: 'Decoder self-attention',
      caption: `Each row is a ${written} piece as it is written; it sees only what came before, from <pad> on. Hatched: masked.`,
      lines: `Lines lead from each ${written} piece, as it is written, up to what came before it, from <pad> on.`,
      queries: 'target: what is written',
      keys: 'target: written before',
    },
    alignment: {
      name: 'Alignment',
      caption: `Which ${read} pieces each ${written} piece comes from: the mean of the marked heads.`,
      lines: `Lines lead from each ${written} piece up to the ${read} pieces it comes from: the mean of the marked heads.`,
      queries: 'target: what is written',
      keys: 'source: what is read',
    },
  },
  none: 'This model has no attention: all that it knows of the source while it writes is its encoder’s last state.',
  empty: 'Once there is a translation, what each head looked at shows here.',
});

export const kTranslation = translation('English', 'French');

/** A translation of any two languages. */
export const kAnyTranslation = translation('source', 'target');

/** One text, read at once or from left to right. @type {Words} */
export const kOneText = {
  kinds: {
    ...kAnyTranslation.kinds,
    encoderSelf: {
      name: 'Self-attention',
      caption: 'Each row is a piece; its cells say how much it took in of every piece, before it and after it.',
      lines: 'Lines lead from each piece, below, up to the pieces it took in, before it and after it.',
      queries: 'what takes in',
      keys: 'what is taken in',
    },
    decoderSelf: {
      name: 'Causal self-attention',
      caption: 'Each row is a piece once it is read; it sees itself and what came before. Hatched: masked.',
      lines: 'Lines lead from each piece, below, up to itself and the pieces before it that it took in.',
      queries: 'what takes in',
      keys: 'what is taken in: itself, and before',
    },
  },
  none: 'This model has no attention of this kind.',
  empty: 'Once there is a text, what each head looked at shows here.',
};

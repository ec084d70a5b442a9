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
 * @property {string} none shown for a model without this attention
 * @property {string} empty shown before there is a text
 */

export const kUndrawn = 'Weights under 0.05 are not drawn.';
/** For a decoder with SSRU units: their forget gates stand where self-attention has heads. */
export const kGates = {
  caption:
    'Each row is a piece as it is written. A cell is a forget gate: how much of the unit’s state is kept. 1 keeps all of it.',
  keys: 'units of the state',
};
export const kWindow = 'The outline is the window that the head sees, and the middle of the window.';

/** The language's name with its article: "a French", "an English", "a Ukrainian". @param {string} language */
const one = (language) => `${/^([AEIO]|U[rz])/.test(language) ? 'an' : 'a'} ${language}`;

/** @param {string} read the language @param {string} written @returns {Words} */
export const translation = (read, written) => ({
  kinds: {
    cross: {
      name: 'Cross attention',
      caption: `Each row is ${one(written)} piece as it is written. Its cells say how much of each ${read} piece it read.`,
      lines: `Lines lead from each ${written} piece up to the ${read} pieces that it read.`,
      queries: 'target: what is written',
      keys: 'source: what is read',
    },
    encoderSelf: {
      name: 'Encoder self-attention',
      caption: `Each row is ${one(read)} piece. Its cells say how much of each ${read} piece it read.`,
      lines: `Lines lead from each ${read} piece up to the ${read} pieces that it read.`,
      queries: 'source: what reads',
      keys: 'source: what is read',
    },
    decoderSelf: {
      name: 'Decoder self-attention',
      caption: `Each row is ${one(written)} piece as it is written. It sees only the pieces before it, from <pad> on. Hatched cells are masked.`,
      lines: `Lines lead from each ${written} piece up to the pieces before it, from <pad> on.`,
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
  none: 'This model has no attention. While it writes, it knows only the last state of its encoder.',
  empty: 'What each head looked at is shown here once there is a translation.',
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
      caption: 'Each row is a piece. Its cells say how much it read of each piece, before it and after it.',
      lines: 'Lines lead from each piece up to the pieces that it read, before it and after it.',
      queries: 'what reads',
      keys: 'what is read',
    },
    decoderSelf: {
      name: 'Causal self-attention',
      caption: 'Each row is a piece. It sees itself and the pieces before it. Hatched cells are masked.',
      lines: 'Lines lead from each piece up to itself and to the pieces before it that it read.',
      queries: 'what reads',
      keys: 'what is read: itself, and the pieces before it',
    },
  },
  none: 'This model has no attention of this kind.',
  empty: 'What each head looked at is shown here once there is a text.',
};

// The text of a generator's piece. Vocabularies write pieces in different ways: '▁house', 'Ġhouse', '<0x41>'.

/** Whether a vocabulary writes bytes as GPT-2 does. @param {string[]} pieces many of the vocabulary */
export const isOfBytes = (pieces) => pieces.some((piece) => piece.startsWith('Ġ'));

/**
 * @param {string} piece
 * @param {boolean} ofBytes
 * @returns {string | null} null: it is a special token, or a part of a character
 */
export function textOf(piece, ofBytes) {
  if (/^(<.+>|\[[A-Z]+\])$/u.test(piece)) return null;
  return ofBytes ? fromBytes(piece) : piece.replaceAll('▁', ' ');
}

/** A piece as the page shows it: white space is visible. @param {string} piece @param {boolean} ofBytes @param {boolean} isEnd it ends a text */
export function shownAs(piece, ofBytes, isEnd) {
  if (isEnd) return 'end of text';
  const text = textOf(piece, ofBytes);
  if (text === null) return piece;
  return text.replace(/^ /, '').replaceAll('\n', '↵').replaceAll(' ', '␣') || '␣';
}

/** Whether GPT-2 writes a byte as the character of the same number. */
const isPlain = (/** @type {number} */ byte) =>
  (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);

/** It writes the other bytes as the characters from U+0100 on, in order. */
const byteOf = (() => {
  const map = new Map();
  let next = 256;
  for (let byte = 0; byte < 256; ++byte) map.set(String.fromCharCode(isPlain(byte) ? byte : next++), byte);
  return map;
})();

/** @param {string} piece */
function fromBytes(piece) {
  const bytes = Array.from(piece, (character) => byteOf.get(character));
  if (bytes.includes(undefined)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null; // a part of a character
  }
}

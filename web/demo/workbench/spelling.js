// The text of a generator's piece. Vocabularies write it in different ways: '▁house', 'Ġhouse', '<0x41>'.

/** Whether a vocabulary writes bytes as GPT-2's does. @param {string[]} pieces many of it */
export const isOfBytes = (pieces) => pieces.some((piece) => piece.startsWith('Ġ'));

/**
 * @param {string} piece
 * @param {boolean} ofBytes
 * @returns {string | null} null: it is not a text by itself
 */
export function textOf(piece, ofBytes) {
  if (/^(<.+>|\[[A-Z]+\])$/u.test(piece)) return null;
  return ofBytes ? fromBytes(piece) : piece.replaceAll('▁', ' ');
}

/** A piece shown by itself. @param {string} piece @param {boolean} ofBytes @param {boolean} isEnd of a text */
export function shownAs(piece, ofBytes, isEnd) {
  if (isEnd) return 'end of text';
  const text = textOf(piece, ofBytes);
  if (text === null) return piece;
  return text.replace(/^ /, '').replaceAll('\n', '↵').replaceAll(' ', '␣') || '␣';
}

/** The bytes that GPT-2 writes as themselves. */
const isPlain = (/** @type {number} */ byte) =>
  (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);

/** The others are the characters from U+0100 on, in order. */
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

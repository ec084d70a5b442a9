// What is in a .spm file, a protobuf (sentencepiece_model.proto): field 1 is a piece, and field 1 of a piece is its text.

const kPiece = 1;
const kText = 1;

/** The texts of the pieces, by their ids. @param {Uint8Array} file @returns {string[]} */
export const piecesOf = (file) =>
  fieldsOf(file, kPiece).map((piece) => new TextDecoder().decode(fieldsOf(piece, kText)[0]));

/** The contents of the fields with a number, which are messages or texts. @param {Uint8Array} message @param {number} number @returns {Uint8Array[]} */
export function fieldsOf(message, number) {
  const found = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const wire = tag & 7;
    const length = wire === 2 ? varint() : wire === 5 ? 4 : 0; // bytes, a float, or a number that is read next
    if (wire === 0) varint();
    if (tag === ((number << 3) | 2)) found.push(message.subarray(at, at + length));
    at += length;
  }
  return found;
}

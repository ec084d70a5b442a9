// The texts of the pieces in a .spm file, by their ids. The file is a protobuf (sentencepiece_model.proto): field 1 is a piece, and
// field 1 of a piece is its text.

const kFirstField = (1 << 3) | 2; // number 1, of bytes

/** @param {Uint8Array} file @returns {string[]} */
export const piecesOf = (file) => fieldsOf(file).map((piece) => new TextDecoder().decode(fieldsOf(piece)[0]));

/** The contents of the fields with number 1. @param {Uint8Array} message @returns {Uint8Array[]} */
function fieldsOf(message) {
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
    if (tag === kFirstField) found.push(message.subarray(at, at + length));
    at += length;
  }
  return found;
}

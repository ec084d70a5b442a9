// A model in Marian's binary file as OPUS-MT published such models: its tensors as .npy, and its vocabulary as YAML.

/** The tensors of a binary float32 file: name, shape and bytes, special:model.yml included. */
export function tensorsOf(file) {
  const count = Number(file.readBigUInt64LE(8));
  const heads = Array.from({ length: count }, (_, i) =>
    [0, 8, 16, 24].map((part) => Number(file.readBigUInt64LE(16 + 32 * i + part))),
  );
  let at = 16 + 32 * count;
  const names = heads.map(([length]) => file.toString('latin1', at, (at += length) - 1));
  const shapes = heads.map(([, , dimensions]) =>
    Array.from({ length: dimensions }, () => file.readInt32LE((at += 4) - 4)),
  );
  at += 8 + Number(file.readBigUInt64LE(at));
  return heads.map(([, type, , bytes], i) => {
    const width = type === 0x404 ? 4 : 1;
    const data = file.subarray(at, at + width * shapes[i].reduce((a, b) => a * b, 1));
    at += bytes;
    return { name: names[i], shape: shapes[i], descr: width === 4 ? '<f4' : '|i1', data };
  });
}

/** The pieces of a SentencePiece file, in their order. @param {Buffer} file */
export function spmPieces(file) {
  const pieces = [];
  for (let at = 0; at < file.length;) {
    const tag = file[at++];
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      length |= (file[at] & 0x7f) << shift;
      if (file[at++] < 0x80) break;
    }
    // repeated ModelProto.SentencePiece pieces = 1; its first field is the text.
    if (tag === 0x0a) pieces.push(file.toString('utf8', at + 2, at + 2 + file[at + 1]));
    at += length;
  }
  return pieces;
}

/** A tensor as .npy. */
export function npy({ shape, descr, data }) {
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')},), }`;
  const head = `${text.padEnd(117)}\n`;
  return Buffer.concat([
    Buffer.from('\x93NUMPY\x01\0', 'latin1'),
    Buffer.from([head.length, 0]),
    Buffer.from(head),
    data,
  ]);
}

/**
 * Each piece with its row. </s> and <unk> have the rows 0 and 1, as in the model; the others have theirs of the file.
 * @param {string[]} pieces
 */
export function vocabularyYaml(pieces) {
  const double = (piece) => `"${piece.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  const single = (piece) => `'${piece.replaceAll("'", "''")}'`;
  return pieces.map((piece, row) => `${row % 2 ? double(piece) : single(piece)}: ${row}\n`).join('');
}

// The file of the detector's weights. tests/oracle/detect/pack.mjs writes it.
//
//   4 bytes   "qkvL"
//   uint32    length of the JSON that follows, little-endian, as all numbers are
//   JSON      {"columns", "heads", "rows", "languages"}; spaces make its length a multiple of four
//   float32   [columns] scales of the embedding's columns, [heads, columns] queries, [languages] scales of the output's rows,
//             [languages] biases
//   int8      [rows, columns] embedding, [languages, heads * columns] output
//   bytes     the hashes of row 1 and all later rows, ascending: differences, seven bits a byte, the lowest first; the eighth
//             bit says that more bytes follow
import { QkvError } from '../base/errors.js';

const kMagic = 0x4c766b71;

/**
 * @typedef {object} Weights
 * @property {string[]} languages BCP 47 tags
 * @property {number} columns
 * @property {number} heads
 * @property {Float64Array} embedding [rows, columns]
 * @property {Float32Array} queries [heads, columns]
 * @property {Float64Array} output [languages, heads * columns]
 * @property {Float32Array} bias [languages]
 * @property {Map<number, number>} rows the row of each hash
 */

/**
 * @param {ArrayBuffer} buffer the file
 * @param {string} name the file's, for errors
 * @returns {Weights} throws a QkvError, code INVALID_FILE, for any other file
 */
export function readWeights(buffer, name) {
  try {
    return read(buffer);
  } catch (cause) {
    throw new QkvError('INVALID_FILE', 'is not the weights of a language detector, or not all of them', name, {
      cause,
    });
  }
}

/** @param {ArrayBuffer} buffer @returns {Weights} */
function read(buffer) {
  // The head: the magic number, and the sizes as JSON.
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== kMagic) throw new RangeError('another file');
  let at = 8 + view.getUint32(4, true);
  const { columns, heads, rows, languages } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, at - 8)));
  const pooled = heads * columns;
  const floats = (/** @type {number} */ count) => {
    const values = Float32Array.from({ length: count }, (_, i) => view.getFloat32(at + 4 * i, true));
    at += 4 * count;
    return values;
  };
  const bytes = (/** @type {number} */ count) => new Int8Array(buffer, (at += count) - count, count);
  // The arrays, in the order of the file.
  const columnScales = floats(columns);
  const queries = floats(pooled);
  const outputScales = floats(languages.length);
  const bias = floats(languages.length);
  const embedding = Float64Array.from(bytes(rows * columns), (x, i) => x * columnScales[i % columns]);
  const output = Float64Array.from(
    bytes(languages.length * pooled),
    (x, i) => x * outputScales[Math.floor(i / pooled)],
  );
  return { languages, columns, heads, embedding, queries, output, bias, rows: readHashes(view, at, rows) };
}

/** @param {DataView} view @param {number} at @param {number} rows */
function readHashes(view, at, rows) {
  const found = new Map();
  let hash = 0;
  for (let row = 1; row < rows; ++row) {
    let byte = 0x80;
    for (let shift = 0; byte & 0x80; shift += 7) {
      byte = view.getUint8(at++);
      hash += (byte & 0x7f) << shift;
    }
    found.set(hash, row);
  }
  if (at !== view.byteLength || found.size !== rows - 1) throw new RangeError('another length');
  return found;
}

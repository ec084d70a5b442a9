// A Marian model in NumPy's .npz, as OPUS-MT publishes them: a zip whose members NAME.npy are the tensors. This module
// converts it to the binary file that Marian writes for the same tensors (core/io/marian_file.h). So the core needs only
// one reader:
//
//   u64  1                        the version
//   u64  n                        tensors
//   u64  [n, 4]                   bytes of the name with its NUL; type; dimensions; bytes of the data
//   char [...]                    the names
//   i32  [...]                    the shapes
//   u64  0                        padding
//   the data of each tensor
import { QkvError } from '../base/errors.js';
import { concatenate } from './fetch.js';
import { openEntry, zipEntries } from './zip.js';

/** @typedef {import('./fetch.js').Opened} Opened */
/** @typedef {import('./zip.js').ZipEntry} ZipEntry */
/**
 * The head of a .npy. `type`: its number in Marian's binary file; `head`: the bytes before the numbers.
 * @typedef {{name: string, entry: ZipEntry, type: number, shape: number[], head: number}} Member
 */

const kMostMembers = 4096;
/** The longest head that is read. NumPy and Marian write 128 bytes. */
const kLongestHead = 4096;
const kTypes = /** @type {Record<string, {type: number, width: number}>} */ ({
  '<f4': { type: 0x404, width: 4 },
  '|i1': { type: 0x101, width: 1 },
  '<i1': { type: 0x101, width: 1 },
  '|u1': { type: 0x101, width: 1 },
});

/**
 * @param {Blob} blob
 * @param {string} file its name, for errors
 * @param {AbortSignal} signal
 * @returns {Promise<Opened>} of the equivalent binary file; rejects with INVALID_FILE, UNSUPPORTED or LIMIT_EXCEEDED,
 *   which name the member. The chunks throw if a member is damaged
 */
export async function openNpz(blob, file, signal) {
  const entries = Object.entries(await withFileName(file, () => zipEntries(blob, signal, () => {})));
  if (entries.length === 0 || entries.length > kMostMembers) {
    throw new QkvError('LIMIT_EXCEEDED', `it has ${entries.length} members; 1 to ${kMostMembers} can be read`, file);
  }
  const members = [];
  for (const [name, entry] of entries) {
    members.push(await withFileName(file, async () => readHead(name, entry, await firstBytes(entry, name))));
    signal.throwIfAborted();
  }
  const header = headerOf(members);
  const size = members.reduce((sum, { entry, head }) => sum + entry.size - head, header.length);
  return { chunks: chunksOf(header, members, file), size, exact: true };
}

/**
 * The header of the binary file, then the data of each member without its head.
 * @param {Uint8Array} header
 * @param {Member[]} members
 * @param {string} file
 */
async function* chunksOf(header, members, file) {
  yield header;
  for (const { name, entry, head } of members) {
    const { chunks } = await withFileName(file, () => openEntry(entry, `${name}.npy`));
    const all = chunks[Symbol.asyncIterator]();
    let skip = head;
    try {
      for (
        let next = await withFileName(file, () => all.next());
        !next.done;
        next = await withFileName(file, () => all.next())
      ) {
        if (next.value.length > skip) yield next.value.subarray(skip);
        skip = Math.max(0, skip - next.value.length);
      }
    } finally {
      await all.return?.();
    }
  }
}

/**
 * The first bytes of a member, as many as a head may have.
 * @param {ZipEntry} entry
 * @param {string} name
 */
async function firstBytes(entry, name) {
  const { chunks } = await openEntry(entry, name);
  const parts = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk.slice(0, kLongestHead - size));
    if ((size += chunk.length) >= kLongestHead) break;
  }
  return concatenate(parts);
}

/**
 * Reads the head of a .npy: its magic number, a version, its own length, and a Python dictionary.
 * @param {string} file the member
 * @param {ZipEntry} entry
 * @param {Uint8Array} begin
 * @returns {Member}
 */
function readHead(file, entry, begin) {
  const invalid = (/** @type {string} */ message) => new QkvError('INVALID_FILE', message, file);
  const view = new DataView(begin.buffer, begin.byteOffset, begin.length);
  const text = String.fromCharCode(...begin);
  if (begin.length < 12 || !text.startsWith('\x93NUMPY')) throw invalid('it is not a .npy');
  // Versions 2 and 3 have four bytes for the length of the head, version 1 has two.
  const head = begin[6] === 1 ? 10 + view.getUint16(8, true) : 12 + view.getUint32(8, true);
  if (head > begin.length) throw invalid('the head of its .npy ends past its data');
  // The dictionary has the type, the order and the shape.
  const dictionary = text.slice(0, head);
  const descr = /'descr' *: *'([^']*)'/.exec(dictionary)?.[1] ?? '';
  if (!Object.hasOwn(kTypes, descr)) {
    throw new QkvError('UNSUPPORTED', `its numbers are '${descr}'; '<f4' is read`, file);
  }
  if (/'fortran_order' *: *True/.test(dictionary)) {
    throw new QkvError('UNSUPPORTED', 'it is in Fortran order, by columns; C order is read', file);
  }
  const sizes = /'shape' *: *\(([\d, L]*)\)/.exec(dictionary)?.[1].match(/\d+/g) ?? [];
  const shape = sizes.map(Number);
  if (!dictionary.includes("'shape'") || shape.length > 8 || shape.some((size) => size < 1 || size >= 2 ** 31)) {
    throw invalid('its shape cannot be read');
  }
  // The data must have exactly the bytes of the shape.
  const { type, width } = kTypes[descr];
  if (shape.reduce((bytes, size) => bytes * size, width) !== entry.size - head) {
    throw invalid('its data is not of its shape');
  }
  return { name: file.replace(/\.npy$/, ''), entry, type, shape, head };
}

/** The header of Marian's binary file. @param {Member[]} members */
function headerOf(members) {
  const words = (/** @type {number[]} */ numbers) => new Uint8Array(BigUint64Array.from(numbers, BigInt).buffer);
  const names = members.map(({ name }) => new TextEncoder().encode(`${name}\0`));
  const headers = members.map(({ type, shape, entry, head }, i) => {
    return [names[i].length, type, shape.length, entry.size - head];
  });
  const shapes = new Uint8Array(Int32Array.from(members.flatMap(({ shape }) => shape)).buffer);
  return concatenate([words([1, members.length, ...headers.flat()]), ...names, shapes, words([0])]);
}

/**
 * Runs `read`. An error of a member gets the name of the file.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} read
 * @returns {Promise<T>}
 */
async function withFileName(file, read) {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof QkvError)) throw error;
    const where = error.where === 'zip' ? file : `${file}, ${error.where.replace(/\.npy$/, '')}`;
    throw new QkvError(error.code, error.message.replace(`${error.where}: `, ''), where, { cause: error });
  }
}

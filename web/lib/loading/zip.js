// Reads the files of a zip (PKWARE's APPNOTE.TXT). Its directory is at the end, so entries can be read in any order. They
// are stored or deflated. The sizes, places and checksums in the directory are checked.
import { QkvError } from '../base/errors.js';
import { toBlob } from './blobs.js';
import { blobChunks, open, readBlob } from './fetch.js';
import { addToCrc } from './crc.js';

/** @typedef {{blob: Blob, at: number, crc: number, packed: number, size: number, isDeflated: boolean}} ZipEntry */

const kEnd = 0x06054b50;
const kDirectory = 0x02014b50;
const kEntry = 0x04034b50;
const kMostEntries = 10_000;
const kLargestDirectory = 8 << 20;
/**
 * Above this size, an entry that unpacks to many times its size is refused: weights compress little, texts are small.
 */
const kLargestText = 64 << 20;
const kMostTimes = 20;

/**
 * @param {import('./fetch.js').Source} zip
 * @param {AbortSignal} signal
 * @param {(done: number) => void} progress of its download
 * @returns {Promise<Record<string, ZipEntry>>} as `readZip` returns; rejects as it does, and as `open` does
 */
export async function zipEntries(zip, signal, progress) {
  const blob = zip instanceof Blob ? zip : await toBlob(await open(zip, 'zip', signal), progress);
  const isZip = blob.size > 4 && (await view(blob, 0, 4)).getUint32(0, true) === kEntry;
  if (!isZip) throw invalid('it does not begin like a zip');
  return readZip(blob);
}

/**
 * The files of an archive by name. If several have the same name, the one closest to the top is used.
 * @param {Blob} blob
 * @returns {Promise<Record<string, ZipEntry>>} rejects with INVALID_FILE, UNSUPPORTED, LIMIT_EXCEEDED
 */
async function readZip(blob) {
  const { count, at, length } = await findDirectory(blob);
  const directory = await view(blob, at, length);
  /** @type {Map<string, ZipEntry & {depth: number}>} */
  const found = new Map();
  /** @type {[begin: number, end: number][]} */
  const ranges = [];
  for (let i = 0, next = 0; i < count; ++i) {
    // Find the entry's end.
    if (next + 46 > length || directory.getUint32(next, true) !== kDirectory)
      throw invalid('its directory is cut short');
    const short = (/** @type {number} */ offset) => directory.getUint16(next + offset, true);
    const end = next + 46 + short(28) + short(30) + short(32);
    if (end > length) throw invalid('its directory is cut short');
    // Read its name. A name must not point outside of the zip.
    const path = new TextDecoder().decode(
      new Uint8Array(directory.buffer, directory.byteOffset + next + 46, short(28)),
    );
    const parts = path.split(/[/\\]/);
    if (parts.includes('..')) throw invalid('a name in it points outside of it', path);
    const name = /** @type {string} */ (parts.at(-1));
    // Keep the entry, unless an entry of the same name is closer to the top.
    const entry = readEntry(blob, directory, next, path);
    ranges.push([entry.at, entry.at + 30 + short(28) + entry.packed]);
    const known = found.get(name);
    if (name && !parts.includes('__MACOSX') && !(known && known.depth <= parts.length)) {
      found.set(name, { ...entry, depth: parts.length });
    }
    next = end;
  }
  // Entries must not share bytes: such a zip can unpack to far more than its size.
  ranges.sort(([a], [b]) => a - b);
  if (ranges.some(([begin], i) => i > 0 && begin < ranges[i - 1][1])) throw invalid('two of its files overlap');
  return Object.fromEntries(found);
}

/** Finds the directory by the record at the end of the zip, which a comment may follow. @param {Blob} blob */
async function findDirectory(blob) {
  const from = Math.max(0, blob.size - 22 - 0xffff);
  const tail = await view(blob, from, blob.size - from);
  let end = tail.byteLength - 22;
  while (
    end >= 0 &&
    !(tail.getUint32(end, true) === kEnd && tail.getUint16(end + 20, true) <= tail.byteLength - end - 22)
  )
    --end;
  if (end < 0) throw invalid('it is not a zip, or its end is missing');
  const count = tail.getUint16(end + 10, true);
  const length = tail.getUint32(end + 12, true);
  const at = tail.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff)
    throw unsupported('it is over 4 GiB: unpack it, and give the folder', 'zip');
  if (count > kMostEntries || length > kLargestDirectory) throw tooLarge('has too many entries', 'zip');
  if (at + length > from + end) throw invalid('its directory is outside of it');
  return { count, at, length };
}

/**
 * @param {Blob} blob
 * @param {DataView} directory
 * @param {number} at
 * @param {string} name
 * @returns {ZipEntry}
 */
function readEntry(blob, directory, at, name) {
  const [flags, method] = [directory.getUint16(at + 8, true), directory.getUint16(at + 10, true)];
  const [crc, packed, size, header] = [16, 20, 24, 42].map((offset) => directory.getUint32(at + offset, true));
  if ([packed, size, header].includes(0xffffffff)) throw unsupported('it is over 4 GiB: unpack the zip', name);
  if (flags & 1) throw unsupported('it is encrypted: unpack the zip', name);
  if (method !== 0 && method !== 8) {
    throw unsupported(`it is compressed by method ${method}, neither stored nor deflated: unpack the zip`, name);
  }
  if (method === 0 && packed !== size) throw invalid('is stored, and its two sizes differ', name);
  if (size > kLargestText && size > kMostTimes * packed) {
    throw tooLarge(`would unpack to ${size} bytes from ${packed}, more than any model does`, name);
  }
  return { blob, at: header, crc, packed, size, isDeflated: method === 8 };
}

/**
 * @param {ZipEntry} entry
 * @param {string} name
 * @returns {Promise<import('./fetch.js').Opened & {stored?: Blob}>} `stored`: the bytes of an uncompressed entry, not
 *   checked
 */
export async function openEntry(entry, name) {
  const { blob, at, packed, size, isDeflated } = entry;
  const header = await view(blob, at, 30);
  if (header.byteLength < 30 || header.getUint32(0, true) !== kEntry) throw invalid('is not where the zip says', name);
  const begin = at + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  if (begin + packed > blob.size) throw invalid('ends after the zip does', name);
  const bytes = blob.slice(begin, begin + packed);
  const chunks = isDeflated ? inflate(bytes, name) : blobChunks(bytes, name);
  return { chunks: checked(chunks, entry, name), size, exact: true, ...(!isDeflated && { stored: bytes }) };
}

/**
 * @param {Blob} packed
 * @param {string} name
 */
async function* inflate(packed, name) {
  const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw invalid(`does not unpack (${/** @type {Error} */ (cause).message})`, name);
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Checks an entry's bytes against the directory.
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {ZipEntry} entry
 * @param {string} name
 */
async function* checked(chunks, { crc, size }, name) {
  let [have, sum] = [0, -1];
  for await (const chunk of chunks) {
    have += chunk.length;
    if (have > size) break;
    sum = addToCrc(chunk, sum);
    yield chunk;
  }
  if (have !== size || ~sum >>> 0 !== crc) {
    throw invalid('is damaged: its size or its checksum is not what the zip says', name);
  }
}

/**
 * @param {Blob} blob
 * @param {number} at
 * @param {number} length
 */
async function view(blob, at, length) {
  return new DataView((await readBlob(blob, at, at + length, 'zip')).buffer);
}

const invalid = (/** @type {string} */ message, name = 'zip') => new QkvError('INVALID_FILE', message, name);
const unsupported = (/** @type {string} */ message, /** @type {string} */ name) =>
  new QkvError('UNSUPPORTED', message, name);
const tooLarge = (/** @type {string} */ message, /** @type {string} */ name) =>
  new QkvError('LIMIT_EXCEEDED', message, name);

// Copies the arguments of a call before the first await, so that nobody can change them afterwards.
import { QkvError } from './errors.js';

/**
 * A copy of plain data: lists, records, and their bytes. Bytes are copied even if they are shared between threads or
 * resizable. Immutable values are not copied: texts, numbers, Blobs, compiled WebAssembly.
 * @param {any} value
 * @returns {any} throws a QkvError, code INVALID_ARGUMENT, for bytes whose buffer has been transferred
 */
export function copied(value) {
  if (ArrayBuffer.isView(value)) return copiedBytes(value.buffer, value.byteOffset, value.byteLength);
  if (isBuffer(value)) return copiedBytes(value).buffer;
  if (Array.isArray(value)) return value.map((inner) => copied(inner));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copied(inner)]));
}

/**
 * Files by name, with Blobs instead of bytes, so that any engine can read them later.
 * @template {Record<string, any>} Files
 * @param {Files} files
 * @returns {Files} throws as `copied` does
 */
export function asBlobs(files) {
  const isBytes = (/** @type {any} */ value) => ArrayBuffer.isView(value) || isBuffer(value);
  const entries = Object.entries(files);
  return /** @type {Files} */ (
    Object.fromEntries(entries.map(([name, file]) => [name, isBytes(file) ? new Blob([copied(file)]) : file]))
  );
}

/**
 * @param {ArrayBufferLike} buffer
 * @param {number} [offset]
 * @param {number} [length]
 */
function copiedBytes(buffer, offset, length) {
  try {
    return new Uint8Array(buffer, offset, length).slice();
  } catch (cause) {
    throw new QkvError('INVALID_ARGUMENT', 'the bytes are gone: their buffer has been transferred', '', {
      cause,
    });
  }
}

/** @param {any} value */
const isRecord = (value) =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/**
 * Also for objects of another realm, such as a frame's.
 * @param {any} value
 * @returns {value is ArrayBufferLike}
 */
const isBuffer = (value) => /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));

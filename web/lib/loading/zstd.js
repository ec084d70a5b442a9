// Unpacks files that zstd compressed (RFC 8878). The decoder is fzstd. The sizes in a file's headers are checked before it
// is decoded.
import { decompress } from 'fzstd';
import { QkvError } from '../base/errors.js';
import { nextTask } from '../base/runtime.js';

/** The largest window that a decoder must support (RFC 8878, 3.1.1.1.2). No larger one is allowed. */
const kLargestWindow = 128 << 20;
/** Above this size, a file that unpacks to many times its size is refused: weights compress little, texts are small. */
const kLargestText = 64 << 20;
const kMostTimes = 20;
const kLargestBlock = 128 << 10;

/**
 * @param {Uint8Array} packed
 * @param {string} name for errors
 * @returns {Promise<Uint8Array<ArrayBuffer>>} rejects with a QkvError: INVALID_FILE, LIMIT_EXCEEDED
 */
export async function unzstd(packed, name) {
  const damaged = 'the zstd data is damaged: fetch the file again';
  const most = sizeBound(packed);
  if (Number.isNaN(most)) throw new QkvError('INVALID_FILE', damaged, name);
  if (most > Math.max(kLargestText, kMostTimes * packed.length)) {
    throw new QkvError('LIMIT_EXCEEDED', `would unpack to ${most} bytes from ${packed.length}`, name);
  }
  await nextTask(); // decoding takes some time and cannot be stopped
  try {
    return /** @type {Uint8Array<ArrayBuffer>} */ (decompress(packed));
  } catch (cause) {
    throw new QkvError('INVALID_FILE', damaged, name, { cause });
  }
}

/**
 * An upper bound of the unpacked bytes, from the headers of frames and blocks. Nothing is decoded.
 * @param {Uint8Array} packed
 * @returns {number} NaN if the file is not a sequence of whole frames; infinite if a window is too large
 */
export function sizeBound(packed) {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  let bound = 0;
  let at = 0;
  try {
    while (at < packed.length) {
      const magic = view.getUint32(at, true);
      if (magic >>> 4 === 0x184d2a5)
        at += 8 + view.getUint32(at + 4, true); // a skippable frame
      else if (magic === 0xfd2fb528) [at, bound] = addFrame(view, at, bound);
      else return NaN;
    }
  } catch {
    return NaN; // past the end
  }
  return at === packed.length && at > 0 ? bound : NaN;
}

/**
 * @param {DataView} view
 * @param {number} start of a frame
 * @param {number} bound of the frames before
 * @returns {[end: number, bound: number]} throws a RangeError if the frame does not end within the file
 */
function addFrame(view, start, bound) {
  // The frame's header: flags, the size of the window, the size of the content.
  const flags = view.getUint8(start + 4);
  const isWhole = (flags & 0x20) !== 0; // one segment: the window is the content
  const contentBytes = [isWhole ? 1 : 0, 2, 4, 8][flags >> 6];
  let at = start + 5;
  const descriptor = isWhole ? 0 : view.getUint8(at++);
  at += [0, 1, 2, 4][flags & 3];
  const content = contentSize(view, at, contentBytes);
  const base = 2 ** (10 + (descriptor >> 3));
  const window = isWhole ? content : base + (base / 8) * (descriptor & 7);
  at += contentBytes;
  if (!(window <= kLargestWindow)) return [view.byteLength, Infinity];
  // Each block has a header of 3 bytes: whether it is the last, its type, its size.
  for (let isLast = false; !isLast;) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    isLast = (header & 1) !== 0;
    const [type, size] = [(header >> 1) & 3, header >> 3];
    bound += type === 2 ? kLargestBlock : size;
    at += 3 + (type === 1 ? 1 : size);
  }
  return [at + (flags & 4 ? 4 : 0), Math.max(bound, content)];
}

/**
 * @param {DataView} view
 * @param {number} at
 * @param {number} bytes
 */
function contentSize(view, at, bytes) {
  if (bytes === 0) return 0;
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

// The directory that a file of safetensors begins with: what tensors it holds. No weight is kept.
import { QkvError } from '../errors.js';

/** @typedef {import('./load-folder.js').OpenedFile} OpenedFile */
/** @typedef {{name: string, shape: number[], dtype: string, bytes: number}} TensorInfo `dtype` as the file writes it: 'F16' */

const kMost = 100_000_000; // bytes, as the format has it

/**
 * @param {OpenedFile} opened
 * @param {string} name for errors
 * @returns {Promise<TensorInfo[]>} in the order that they lie in
 */
export async function readDirectory(opened, name) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let [have, wanted] = [0, 8];
  for await (const chunk of opened.chunks) {
    chunks.push(chunk.slice());
    have += chunk.length;
    if (wanted === 8 && have >= 8) wanted += sizeIn(joined(chunks), name);
    if (have >= wanted && wanted > 8) return parse(joined(chunks).subarray(8, wanted), name);
  }
  throw new QkvError('INVALID_FILE', 'ends within its directory', name);
}

/** @param {Uint8Array} bytes @param {string} name */
function sizeIn(bytes, name) {
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (size > 0 && size <= kMost) return size;
  throw new QkvError('INVALID_FILE', 'it does not begin with a directory', name);
}

/** @param {Uint8Array[]} chunks @returns {Uint8Array} */
function joined(chunks) {
  if (chunks.length === 1) return chunks[0];
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  chunks.reduce((at, chunk) => (bytes.set(chunk, at), at + chunk.length), 0);
  return bytes;
}

/** @param {Uint8Array} bytes @param {string} name @returns {TensorInfo[]} */
function parse(bytes, name) {
  let all;
  try {
    all = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new QkvError('INVALID_FILE', 'its directory is no JSON', name);
  }
  const tensors = Object.entries(all ?? {}).filter(([key]) => key !== '__metadata__');
  const isSound =
    Object.prototype.toString.call(all) === '[object Object]' &&
    tensors.every(([, t]) => Array.isArray(t?.shape) && typeof t.dtype === 'string' && t.data_offsets?.length === 2);
  if (!isSound) throw new QkvError('INVALID_FILE', 'its directory does not say what its tensors are', name);
  return tensors
    .toSorted(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0])
    .map(
      ([
        key,
        {
          shape,
          dtype,
          data_offsets: [begin, end],
        },
      ]) => ({ name: key, shape, dtype, bytes: end - begin }),
    );
}

// Reads the directory at the beginning of a safetensors file, which lists its tensors. The weights are ignored.
import { DirectoryHead } from '../../loading/directory-head.js';
import { QkvError } from '../../base/errors.js';

/** @typedef {import('./weight-files.js').OpenedFile} OpenedFile */
/** @typedef {{name: string, shape: number[], dtype: string, bytes: number}} TensorInfo `dtype` as the file writes it: 'F16' */

/**
 * @param {OpenedFile} opened
 * @param {string} name for errors
 * @returns {Promise<TensorInfo[]>} in the order of the file
 */
export async function readDirectory(opened, name) {
  const head = new DirectoryHead();
  for await (const chunk of opened.chunks) {
    const directory = head.add(chunk);
    if (Number.isNaN(head.end)) throw new QkvError('INVALID_FILE', 'it does not begin with a directory', name);
    if (directory) return parse(directory, name);
  }
  throw new QkvError('INVALID_FILE', 'ends within its directory', name);
}

/** @param {Uint8Array} bytes @param {string} name @returns {TensorInfo[]} */
function parse(bytes, name) {
  // The directory of a file of safetensors: {name: {dtype, shape, data_offsets: [begin, end]}}.
  let all;
  try {
    all = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new QkvError('INVALID_FILE', 'its directory is not JSON', name);
  }
  const tensors = Object.entries(all ?? {}).filter(([key]) => key !== '__metadata__');
  const isValid =
    Object.prototype.toString.call(all) === '[object Object]' &&
    tensors.every(([, t]) => Array.isArray(t?.shape) && typeof t.dtype === 'string' && t.data_offsets?.length === 2);
  if (!isValid) throw new QkvError('INVALID_FILE', 'its directory does not describe its tensors', name);
  // Sort by the place in the file.
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

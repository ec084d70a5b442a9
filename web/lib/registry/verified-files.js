// Downloads the files of a listed model, checks their hashes, unpacks them, and keeps them as Blobs until an engine has
// read them.
import { withSignals } from '../base/abort.js';
import { QkvError } from '../base/errors.js';
import { openZstd } from '../loading/archives.js';
import { toBlob } from '../loading/blobs.js';
import { unpacked } from '../loading/gunzip.js';
import { Sha256 } from '../store/sha256.js';
import { withPartStore } from '../store/part-store.js';

/** @typedef {import('./registry.js').ListedFile} ListedFile */
/** @typedef {import('../loading/fetch.js').Opened} Opened */

/** The assumed size of a file in the progress, if the list does not give it. */
const kUnknownSize = 1 << 20;

/**
 * @param {ListedFile[]} files
 * @param {import('../loading/model-source.js').StoreSettings} [store] without it they are not kept
 * @returns {(signal: AbortSignal, progress: (done: number) => void) => Promise<{files: Record<string, Blob>}>} progress goes
 *   up to 0.9
 */
export const verifiedFiles = (files, store) => async (outer, progress) => {
  const sizes = files.map(({ size, uncompressedSize }) => size ?? uncompressedSize ?? kUnknownSize);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const done = sizes.map(() => 0);
  const report = (/** @type {number} */ i) => (/** @type {number} */ share) => {
    done[i] = share * sizes[i];
    progress((0.9 * done.reduce((sum, part) => sum + part, 0)) / total);
  };
  const blobs = await withSignals([outer], (signal) =>
    withPartStore(store, signal, async (opening) => {
      const parts = await opening;
      return Promise.all(files.map((file, i) => checkedFile(file, parts, signal, report(i))));
    }),
  );
  return { files: Object.fromEntries(blobs) };
};

/**
 * Downloads one file. If the server has already unpacked a gzip file, only the hash of its content is checked.
 * @param {ListedFile} file
 * @param {import('../store/part-store.js').PartStore} parts
 * @param {AbortSignal} signal
 * @param {(done: number) => void} progress
 * @returns {Promise<[name: string, content: Blob]>}
 */
async function checkedFile({ name, url, size, hash, uncompressedSize, uncompressedHash }, parts, signal, progress) {
  const served = new ListedContent(size, hash, name);
  const content = new ListedContent(uncompressedSize, uncompressedHash, name);
  const file = await parts.open(name, url, uncompressedHash ?? hash, { isChecked: false });
  const opened = served.watch(/** @type {Opened} */ (file));
  const isZstd = /\.zst$/i.test(name);
  const plain = isZstd ? openZstd(opened, name) : unpacked({ ...opened, size: size ?? opened.size }, name, signal);
  const blob = await toBlob(content.watch(await plain), (share) => progress(share));
  const isPlain = served.size === content.size;
  if (uncompressedHash !== undefined || uncompressedSize !== undefined) content.check();
  if (!isPlain || (uncompressedHash === undefined && uncompressedSize === undefined)) served.check();
  return [name.replace(/\.(gz|zst)$/i, ''), blob];
}

/** Compares the bytes of a file with the size and the hash in the list. */
class ListedContent {
  size = 0;
  #sum;
  #listedSize;
  #listedHash;
  #name;

  /**
   * @param {number | undefined} size
   * @param {string | undefined} hash
   * @param {string} name
   */
  constructor(size, hash, name) {
    this.#listedSize = size;
    this.#listedHash = hash?.toLowerCase();
    this.#sum = hash === undefined ? null : new Sha256();
    this.#name = name;
  }

  /** The same file, whose chunks are counted as they are read. @param {Opened} opened @returns {Opened} */
  watch(opened) {
    return { ...opened, chunks: this.#counted(opened.chunks) };
  }

  /** @param {AsyncIterable<Uint8Array>} chunks */
  async *#counted(chunks) {
    for await (const chunk of chunks) {
      this.size += chunk.length;
      this.#sum?.add(chunk);
      yield chunk;
    }
  }

  /** Throws INVALID_FILE if it is not the file in the list. */
  check() {
    if (this.#listedSize !== undefined && this.size !== this.#listedSize) {
      throw this.#difference(`it has ${this.size} bytes instead of ${this.#listedSize}`);
    }
    const sum = this.#sum?.digest();
    if (sum !== this.#listedHash) throw this.#difference(`its SHA-256 is ${sum} instead of ${this.#listedHash}`);
  }

  /** @param {string} difference */
  #difference(difference) {
    return new QkvError('INVALID_FILE', `is not the file that the registry lists: ${difference}`, this.#name);
  }
}

// Models in archives: a zip of a model folder or of Marian's files, and files that zstd compressed. They are unpacked
// into Blobs before an engine reads them. This module is fetched only when a model is given in this form.
import { QkvError } from '../base/errors.js';
import { toBlob } from './blobs.js';
import { collect, open } from './fetch.js';
import { isMarianFile } from './marian-files.js';
import { isFolderFile } from './model-folder.js';
import { isOpusFile } from './opus-files.js';
import { openEntry, zipEntries } from './zip.js';

/** @typedef {import('./fetch.js').Opened} Opened */
/** @typedef {import('./fetch.js').Source} Source */
/** @typedef {import('./model-source.js').ModelSource} ModelSource */
/** @typedef {import('./zip.js').ZipEntry} ZipEntry */
/** @typedef {(done: number) => void} Progress */

/** A zip may unpack to at most 20 times its size, plus 64 MiB for small files. Weights compress little. */
const kMostTimes = 20;
const kSmallFiles = 64 << 20;

/** The decoders that not every archive needs. */
export const decoders = { zstd: () => import('./zstd.js') };

/**
 * A model's files, unpacked.
 * @param {Record<string, Source>} files one zip, or files of which some end in .zst
 * @param {AbortSignal} signal
 * @param {Progress} progress up to 0.9
 * @returns {Promise<ModelSource>} rejects with a QkvError if the files cannot be read, or are not a model
 */
export async function unpack(files, signal, progress) {
  const names = Object.keys(files);
  const zip = names.find((name) => /\.zip$/i.test(name));
  if (zip === undefined) return { files: await withoutZstd(files, signal) };
  if (names.length > 1) throw new QkvError('INVALID_ARGUMENT', `${zip} and other files: give the zip alone`, 'model');
  const members = await fromZip(files[zip], signal, progress);
  return { files: await withoutZstd(members, signal) };
}

/**
 * Whether a zip has a model in Marian's format.
 * @param {Source} zip
 * @param {AbortSignal} [signal]
 */
export async function holdsMarian(zip, signal = new AbortController().signal) {
  const names = Object.keys(await zipEntries(zip, signal, () => {}));
  return names.some((name) => /^model\..*bin(\.gz|\.zst)?$/.test(name));
}

/**
 * The files of a model in a zip, in any folder of it.
 * @param {Source} zip
 * @param {AbortSignal} signal
 * @param {Progress} progress
 */
async function fromZip(zip, signal, progress) {
  // The entries that are files of a model.
  const entries = await zipEntries(zip, signal, (done) => progress(0.8 * done));
  const isWanted = (/** @type {string} */ name) =>
    isFolderFile(name) || isOpusFile(name) || isMarianFile(name.replace(/\.zst$/i, ''));
  const wanted = Object.entries(entries).filter(([name]) => isWanted(name));
  if (wanted.length === 0) {
    throw new QkvError(
      'MISSING_FILE',
      'the zip has no file of a model: neither config.json nor model.*.bin nor *.npz',
      'zip',
    );
  }
  // Refuse a zip that would unpack to far more than its size.
  const [packed, size] = wanted.reduce(([a, b], [, entry]) => [a + entry.packed, b + entry.size], [0, 0]);
  if (size > kMostTimes * packed + kSmallFiles) {
    throw new QkvError(
      'LIMIT_EXCEEDED',
      `would unpack to ${size} bytes from ${packed}, more than any model does`,
      'zip',
    );
  }
  // Unpack them one by one.
  /** @type {Record<string, Blob>} */
  const files = {};
  let done = 0;
  for (const [name, entry] of wanted) {
    signal.throwIfAborted();
    files[name] = await unpackedEntry(entry, name);
    done += entry.size;
    progress(0.8 + (0.1 * done) / Math.max(size, 1));
  }
  return files;
}

/**
 * @param {ZipEntry} entry
 * @param {string} name
 * @returns {Promise<Blob>} for a stored entry: a slice of the zip, whose checksum has been checked
 */
async function unpackedEntry(entry, name) {
  const { chunks, stored, ...rest } = await openEntry(entry, name);
  if (!stored) return toBlob({ chunks, ...rest }, () => {});
  for await (const _ of chunks); // reading them checks the checksum
  return stored;
}

/**
 * @param {Record<string, Source>} files
 * @param {AbortSignal} signal
 */
async function withoutZstd(files, signal) {
  const isPacked = (/** @type {string} */ name) => /\.zst$/i.test(name);
  const plain = Object.fromEntries(Object.entries(files).filter(([name]) => !isPacked(name)));
  for (const name of Object.keys(files).filter(isPacked)) {
    const content = await openZstd(await open(files[name], name, signal), name);
    plain[name.replace(/\.zst$/i, '')] ??= await toBlob(content, () => {});
    signal.throwIfAborted();
  }
  return plain;
}

/**
 * Unpacks a file that zstd compressed. The whole file is in memory at once.
 * @param {Opened} opened
 * @param {string} name
 * @returns {Promise<Opened>}
 */
export async function openZstd(opened, name) {
  const { unzstd } = await decoders.zstd();
  const bytes = await unzstd(await collect(opened, name), name);
  return { chunks: new Blob([bytes]).stream(), size: bytes.length, exact: true };
}

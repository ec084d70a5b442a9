// Loads a model in Marian's own files into the engine of qkv/models: the files of Firefox, and those that OPUS-MT first
// published, with weights in .npz.
import { openMarian } from '../load-marian.js';
import { toBlob } from '../../loading/blobs.js';
import { marianNames } from '../../loading/marian-files.js';
import { asText, readFile } from '../../loading/model-files.js';
import { openNpz } from '../../loading/npz.js';
import { kDecoder, opusNames } from '../../loading/opus-files.js';

/** @typedef {import('./glue.js').GuardedModels} GuardedModels */
/** @typedef {import('../../loading/model-files.js').Opener} Opener */

/**
 * @param {GuardedModels} wasm
 * @param {import('../../loading/model-files.js').ListedSource} source
 * @param {Opener} opener
 * @param {AbortSignal} signal
 * @param {(done: number) => void} progress of the download of .npz, which is read when it is complete
 * @returns {Promise<{loader: number, weights: import('./weight-files.js').WeightFile[]} | null>} null if there is none
 */
export async function beginMarian(wasm, source, opener, signal, progress) {
  const names = await marianNames(source);
  const marian = names && (await openMarian(opener, names, signal));
  const found = marian ?? (await openOpus(wasm, source, opener, signal, progress));
  if (!found) return null;
  const { files, weights, name } = found;
  const size = weights.exact ? weights.size : 0;
  const loader = wasm.marianLoaderCreate({ ...files, weightsSize: size });
  return { loader, weights: [{ name, size, isWhole: !marian, open: async () => weights }] };
}

/**
 * @param {GuardedModels} wasm
 * @param {import('../../loading/model-files.js').ListedSource} source
 * @param {Opener} opener
 * @param {AbortSignal} signal
 * @param {(done: number) => void} progress
 */
async function openOpus(wasm, source, opener, signal, progress) {
  const decoder = asText(await readFile(opener, kDecoder, true), kDecoder);
  const names = await opusNames(source, wasm.opusFiles(decoder));
  if (!names) return null;
  /** @type {Opener} */
  const unzipping = async (name, isOptional) => {
    if (name !== names.weights[0]) return opener(name, isOptional);
    const opened = /** @type {import('../../loading/fetch.js').Opened} */ (await opener(name));
    return openNpz(await toBlob(opened, progress), name, signal);
  };
  const found = await openMarian(unzipping, names, signal);
  const [name] = names.rows;
  if (!found || name === undefined) return found;
  const rows = { name, bytes: /** @type {Uint8Array} */ (await readFile(opener, name)) };
  return { ...found, files: { ...found.files, rows, decoder } };
}

// The files of weights in a folder of any kind: one file or shards, as safetensors or as pickles of PyTorch.
import { toBlob } from '../../loading/blobs.js';
import { asText, readFile } from '../../loading/model-files.js';
import { weightsFile } from '../../loading/model-folder.js';

/** @typedef {import('./load-folder.js').GuardedModels} GuardedModels */
/** @typedef {import('../../loading/model-files.js').Opener} Opener */
/** @typedef {import('../load.js').Progress} Progress */
/** @typedef {import('../../loading/blobs.js').OpenedFile} OpenedFile */
/**
 * @typedef {object} WeightFile
 * @property {string} name
 * @property {number} size in bytes; 0: not known
 * @property {boolean} isWhole whether it has been downloaded already
 * @property {() => Promise<OpenedFile>} open
 */

/**
 * The file of weights, or its shards. Each is opened when it is read, because a server may not keep many connections
 * waiting.
 * @param {GuardedModels} wasm
 * @param {Opener} opener
 * @param {Progress} progress of the downloads before reading
 * @returns {Promise<WeightFile[]>} at least one; rejects as the opener does
 */
export async function openWeights(wasm, opener, progress) {
  for (const name of [weightsFile, 'pytorch_model.bin']) {
    const whole = await opener(name, true);
    if (whole) return [await weightFile(name, whole, progress)];
    const index = await readFile(opener, `${name}.index.json`, true);
    if (!index) continue;
    const shards = wasm.shardNames(asText(index, `${name}.index.json`));
    const files = [];
    for (const [i, shard] of shards.entries()) {
      files.push(await shardFile(shard, opener, (done) => progress((i + done) / shards.length)));
    }
    return files;
  }
  // There is none. Opening it once more gives the error with the reason.
  return [await weightFile(weightsFile, /** @type {OpenedFile} */ (await opener(weightsFile)), progress)];
}

/**
 * @param {string} name
 * @param {OpenedFile} opened
 * @param {Progress} progress
 * @returns {Promise<WeightFile>}
 */
async function weightFile(name, opened, progress) {
  if (name.endsWith('.safetensors')) {
    return { name, size: opened.exact ? opened.size : 0, isWhole: false, open: async () => opened };
  }
  const blob = await toBlob(opened, progress); // its directory is at its end
  return { name, size: blob.size, isWhole: true, open: async () => ({ ...opened, blob }) };
}

/**
 * @param {string} name
 * @param {Opener} opener
 * @param {Progress} progress
 * @returns {Promise<WeightFile>}
 */
async function shardFile(name, opener, progress) {
  const opening = async () => /** @type {OpenedFile} */ (await opener(name));
  if (!name.endsWith('.safetensors')) return weightFile(name, await opening(), progress);
  return { name, size: 0, isWhole: false, open: opening };
}

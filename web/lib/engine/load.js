// Loads a model into an engine: first the small files, then the weights. The weights go into the engine's memory range by
// range while they are downloaded. So a model is never in memory twice.
import { withSignals } from '../base/abort.js';
import { QkvError, advised, isAbsent } from '../base/errors.js';
import { RangeFiller, feed } from './feed.js';
import { openMarian } from './load-marian.js';
import { marianNames } from '../loading/marian-files.js';
import { asText, listed, openerOf, readFile } from '../loading/model-files.js';
import {
  hasTwoVocabularies,
  isOptional,
  isRecurrent,
  kRecurrentModel,
  smallFiles,
  weightsFile,
} from '../loading/model-folder.js';
import { withPartStore } from '../store/part-store.js';

/** @typedef {import('./guard.js').GuardedModule} GuardedModule */
/** @typedef {import('../loading/model-source.js').ModelSource} ModelSource */
/** @typedef {import('../loading/model-files.js').Opener} Opener */
/** @typedef {import('../store/part-store.js').PartStore} PartStore */
/** @typedef {(loaded: number) => void} Progress from 0 to 1, never less than before */

// The small files' share of the progress.
export const kSmallShare = 0.05;

// The advice if there are no weights that this engine reads.
const kOtherFormats = "if they are in pytorch_model.bin or in shards, load() of 'qkv/models' reads them";

// A translator starts the package's other engine for such a model, unless its option `wasm` names an engine.
const kAnotherEngine = 'this engine runs no recurrent models, the one of qkv/models does: leave the option wasm out';

/**
 * @param {Promise<GuardedModule>} engine
 * @param {ModelSource} source
 * @param {AbortSignal} outer
 * @param {Progress} progress
 * @param {import('../loading/model-files.js').Downloaded} [downloaded] gets the downloaded files
 * @returns {Promise<number>} the model's handle; rejects with a QkvError or with the signal's reason
 */
export function loadModel(engine, source, outer, progress, downloaded) {
  const load = async (/** @type {AbortSignal} */ signal, /** @type {Promise<PartStore>} */ openingParts) => {
    // Read the small files while the engine starts.
    const opening = openingParts.then(async (parts) => {
      const list = await listed(parts.listed(source), signal, parts.manifest);
      const opener = openerOf(list, signal, downloaded, parts);
      const ahead = aheadOf(opener, source);
      return { opener, ahead, ...(await openModel(opener, list, signal, (done) => progress(kSmallShare * done))) };
    });
    // Wait for both together: Node ends the process at an unhandled rejection.
    const [opened, wasm] = await Promise.all([opening, engine]);
    const { files, name, weights = await (opened.ahead ?? openWeights(opened.opener)) } = opened;
    // Give the weights to the engine as they arrive.
    const loader = wasm.loaderCreate({ ...files, weightsSize: weights.exact ? weights.size : 0 });
    try {
      const report = (/** @type {number} */ share) => progress(kSmallShare + (1 - kSmallShare) * share);
      await feed(new RangeFiller(wasm, loader), weights, name, signal, report, () => wasm.loaderWarmUp(loader));
      return wasm.loaderFinish(loader);
    } catch (error) {
      wasm.loaderFree(loader);
      throw error;
    }
  };
  return withSignals([outer], (signal) => withPartStore(source.store, signal, (parts) => load(signal, parts)));
}

/** @typedef {{files: Omit<import('./glue.d.ts').LoaderFiles, 'weightsSize'>, name: string, weights?: import('../loading/fetch.js').Opened}} OpenedModel */

/**
 * The small files, and the name of the file of weights. A folder without config.json may be a model in Marian's own files;
 * then its weights are already open.
 * @param {Opener} opener
 * @param {import('../loading/model-files.js').ListedSource} source
 * @param {AbortSignal} signal
 * @param {Progress} progress
 * @returns {Promise<OpenedModel>}
 */
function openModel(opener, source, signal, progress) {
  /** @returns {Promise<OpenedModel>} */
  const folder = async () => ({ files: await readSmallFiles(opener, 'files' in source, progress), name: weightsFile });
  return folderOrMarian(source, folder, async () => {
    const names = await marianNames(source);
    return names && openMarian(opener, names, signal);
  });
}

/**
 * The files of a folder with config.json, or of a model in Marian's own files.
 * @template T
 * @param {import('../loading/model-files.js').ListedSource} source
 * @param {() => Promise<T>} readFolder
 * @param {() => Promise<T | null>} readMarian null if there is none
 */
export async function folderOrMarian(source, readFolder, readMarian) {
  const listed = 'files' in source && !('config.json' in source.files) ? await readMarian() : null;
  if (listed) return listed;
  try {
    return await readFolder();
  } catch (error) {
    const found = 'folder' in source && isAbsent(error) ? await readMarian() : null;
    if (!found) throw error;
    return found;
  }
}

/**
 * The weights, requested at the same time as the small files where the caller says that they are there: so the download does not
 * pause between the two. A folder may turn out to have a model of another engine.
 * @param {Opener} opener
 * @param {ModelSource} source
 */
function aheadOf(opener, source) {
  const isListed = 'files' in source && ['config.json', weightsFile].every((name) => name in source.files);
  const opening = isListed ? openWeights(opener) : undefined;
  opening?.catch(() => {}); // if a small file fails too, its error is the one to report
  return opening;
}

/** @param {Opener} opener */
async function openWeights(opener) {
  try {
    return /** @type {import('../loading/fetch.js').Opened} */ (await opener(weightsFile));
  } catch (error) {
    throw isAbsent(error) ? advised(/** @type {import('../base/errors.js').QkvError} */ (error), kOtherFormats) : error;
  }
}

/**
 * @param {Opener} opener
 * @param {boolean} isListed
 * @param {Progress} progress
 */
async function readSmallFiles(opener, isListed, progress) {
  // Request all files at once; some are optional.
  let done = 0;
  const read = async (/** @type {string} */ name, mayLack = false) => {
    const bytes = await readFile(opener, name, mayLack);
    progress(++done / smallFiles.length);
    return bytes;
  };
  const files = smallFiles.map(({ name }) => read(name, isOptional(name, isListed)));
  // Wait for all files. If several are missing, the error is then about the first one in the list. That is config.json. A
  // folder of OPUS-MT is recognised because config.json is the file that is missing.
  await Promise.allSettled(files);
  const [bytes, generation, vocab, sourceSpm, targetSpm, shortlist] = await Promise.all(files);
  // The config says whether there is a second vocabulary.
  const config = asText(bytes, 'config.json');
  if (isRecurrent(config)) throw new QkvError('UNSUPPORTED', kAnotherEngine, kRecurrentModel);
  const targetVocab = hasTwoVocabularies(config) ? await read('target_vocab.json', true) : null;
  return {
    config,
    generationConfig: asText(generation, 'generation_config.json'),
    vocab: asText(vocab, 'vocab.json'),
    sourceSpm: /** @type {Uint8Array} */ (sourceSpm),
    targetSpm,
    shortlist,
    targetVocab: asText(targetVocab, 'target_vocab.json'),
  };
}

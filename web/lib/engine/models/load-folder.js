// Loads a model folder of any kind into an engine: first config.json, which determines the other files, then the small
// files, then the weights. The weights are one file or shards. Safetensors are read while they are downloaded, PyTorch's
// pickles afterwards. A translation model may also be in Marian's own files (load-marian.js).
import { withSignals } from '../../base/abort.js';
import { QkvError } from '../../base/errors.js';
import { RangeFiller, feed } from '../feed.js';
import { readBlob } from '../../loading/fetch.js';
import { folderOrMarian, kSmallShare } from '../load.js';
import { asText, listed, openerOf, readFile } from '../../loading/model-files.js';
import { hasTwoVocabularies, isOptional } from '../../loading/model-folder.js';
import { readDirectory } from './directory.js';
import { beginMarian } from './load-marian.js';
import { openEntry, zipEntries } from '../../loading/zip.js';
import { openWeights } from './weight-files.js';
import { withPartStore } from '../../store/part-store.js';

/** @typedef {import('./glue.js').GuardedModels} GuardedModels */
/** @typedef {import('../../loading/folder-source.js').FolderSource} FolderSource */
/** @typedef {import('../load.js').Progress} Progress */
/** @typedef {import('../../store/part-store.js').PartStore} PartStore */

/** @typedef {import('../../loading/model-files.js').Opener} Opener */
/** @typedef {import('./weight-files.js').OpenedFile} OpenedFile */
/** @typedef {import('./weight-files.js').WeightFile} WeightFile */
/**
 * The facts of a folder before its weights are read.
 * @typedef {object} Inspected
 * @property {number} fileBytes of the files of weights; 0: not known
 * @property {string} modelType as config.json has it: 'bert'
 * @property {string} architecture as in config.json; '' if it is not given: 'BertForMaskedLM'
 * @property {import('./directory.js').TensorInfo[]} tensors empty for pickles of PyTorch
 */

// For zips and pickles: the progress when everything is downloaded and nothing is in the engine yet.
const kWhole = 0.9;

/** @type {(progress: Progress, from: number, to: number) => Progress} the progress of a part, as a progress of the whole */
const part = (progress, from, to) => (done) => progress(from + (to - from) * done);

/**
 * @param {Promise<any>} engine
 * @param {FolderSource} source
 * @param {AbortSignal} outer
 * @param {Progress} progress
 * @param {import('../../loading/model-files.js').Downloaded} [downloaded] gets the downloaded files
 * @returns {Promise<number>} the model's handle; rejects with a QkvError or with the signal's reason
 */
export function loadFolder(engine, source, outer, progress, downloaded) {
  const load = async (/** @type {AbortSignal} */ signal, /** @type {Promise<PartStore>} */ openingParts) => {
    // Wait for both together: Node ends the process at an unhandled rejection.
    const [wasm, parts] = await Promise.all([/** @type {Promise<GuardedModels>} */ (engine), openingParts]);
    const opened = await openSource(source, signal, progress, { downloaded, parts });
    const { loader, weights } =
      'zip' in source
        ? await begin(wasm, source, opened, () => {})
        : await folderOrMarian(
            opened.list,
            () => begin(wasm, source, opened, progress),
            () => beginMarian(wasm, opened.list, opened.opener, signal, part(progress, kSmallShare, kWhole)),
          );
    // Give the weights to the engine.
    const isDownloaded = 'zip' in source || weights.some(({ isWhole }) => isWhole);
    try {
      await feedAll(wasm, loader, weights, signal, part(progress, isDownloaded ? kWhole : kSmallShare, 1));
      return wasm.loaderFinish(loader);
    } catch (error) {
      wasm.loaderFree(loader);
      throw error;
    }
  };
  const { store } = /** @type {import('../../loading/model-source.js').ModelSource} */ (source);
  return withSignals([outer], (signal) => withPartStore(store, signal, (parts) => load(signal, parts)));
}

/**
 * The content of a folder. Only the directory of the weights is read.
 * @param {GuardedModels} wasm
 * @param {FolderSource} source
 * @param {AbortSignal} outer
 * @returns {Promise<import('./glue.js').AnyInfo & Inspected>}
 */
export function inspectFolder(wasm, source, outer) {
  return withSignals([outer], async (signal) => {
    const opened = await openSource(source, signal, () => {});
    const { opener } = opened;
    const { loader, weights, config } = await begin(wasm, source, opened, () => {});
    try {
      const [first] = weights;
      if (first.name.endsWith('.safetensors')) await feedDirectory(wasm, loader, first);
      const fileBytes = weights.every(({ size }) => size > 0) ? weights.reduce((sum, { size }) => sum + size, 0) : 0;
      const { model_type: modelType, architectures } = JSON.parse(config);
      const architecture = Array.isArray(architectures) ? String(architectures[0] ?? '') : '';
      const tensors = await listTensors(opener, weights);
      return { ...wasm.loaderInfo(loader), fileBytes, modelType, architecture, tensors };
    } finally {
      wasm.loaderFree(loader);
    }
  });
}

/**
 * @param {Opener} opener
 * @param {WeightFile[]} files
 */
async function listTensors(opener, files) {
  const lists = [];
  for (const { name } of files) {
    const opened = name.endsWith('.safetensors') ? await opener(name) : null;
    if (opened) lists.push(await readDirectory(opened, name));
  }
  return lists.flat();
}

/**
 * Reads chunks until the directory is complete. Parts of tensors that come with them are ignored.
 * @param {GuardedModels} wasm
 * @param {number} loader
 * @param {WeightFile} file
 */
async function feedDirectory(wasm, loader, file) {
  const filler = new RangeFiller(wasm, loader);
  const { chunks } = await file.open();
  for await (const chunk of chunks) {
    filler.take(chunk);
    if (filler.isDone || filler.ranges > 2) return;
  }
}

/**
 * @typedef {object} OpenedSource
 * @property {Opener} opener
 * @property {import('../../loading/model-files.js').ListedSource} list its list of files, if it has one; empty for a zip
 */

/**
 * @param {FolderSource} source
 * @param {AbortSignal} signal
 * @param {Progress} progress of a zip's download
 * @param {{downloaded?: import('../../loading/model-files.js').Downloaded, parts?: PartStore}} [also] where downloads also go
 * @returns {Promise<OpenedSource>}
 */
async function openSource(source, signal, progress, { downloaded, parts } = {}) {
  if ('zip' in source) {
    return { opener: await openZip(source.zip, signal, part(progress, 0, kWhole)), list: { files: {} } };
  }
  const list = await listed(parts?.listed(source) ?? source, signal, parts?.manifest);
  return { opener: openerOf(list, signal, downloaded, parts), list };
}

/**
 * Reads the small files of a folder, and opens its weights.
 * @param {GuardedModels} wasm
 * @param {FolderSource} source
 * @param {OpenedSource} opened
 * @param {Progress} progress of all steps before the engine gets the weights
 */
async function begin(wasm, source, { opener, list }, progress) {
  const files = await readSmallFiles(wasm, opener, 'files' in list, part(progress, 0, kSmallShare));
  const weights = await openWeights(wasm, opener, part(progress, kSmallShare, kWhole));
  const sizes = weights.map(({ name, size }) => /** @type {[string, number]} */ ([name, size]));
  const numbers = source.numbers ?? 'auto';
  const loader = wasm.folderLoaderCreate({ files, weights: sizes, numbers });
  return { loader, weights, config: /** @type {string} */ (files[0][1]) };
}

/**
 * @param {import('../../loading/fetch.js').Source} zip
 * @param {AbortSignal} signal
 * @param {Progress} progress
 * @returns {Promise<Opener>}
 */
async function openZip(zip, signal, progress) {
  const entries = await zipEntries(zip, signal, progress);
  return async (name, isOptional) => {
    if (Object.hasOwn(entries, name)) return openEntry(entries[name], name);
    if (isOptional) return null;
    throw new QkvError('MISSING_FILE', `the zip has no file ${name}`, name);
  };
}

/**
 * @param {GuardedModels} wasm
 * @param {Opener} opener
 * @param {boolean} isListed
 * @param {Progress} progress
 * @returns {Promise<[string, string | Uint8Array][]>}
 */
async function readSmallFiles(wasm, opener, isListed, progress) {
  /** @type {[string, string | Uint8Array][]} */
  const files = [];
  const read = async (/** @type {string} */ name, mayLack = true) => {
    const bytes = await readFile(opener, name, mayLack);
    if (!bytes) return null;
    const content = /\.(json|txt)$/.test(name) ? asText(bytes, name) : bytes;
    files.push([name, content]);
    return content;
  };
  // The config names the other files. All are optional, except those that MarianMT's folders must have.
  const config = /** @type {string} */ (await read('config.json', false));
  const names = wasm.folderFiles(config);
  const mayLack = (/** @type {string} */ name) => !names.includes('source.spm') || isOptional(name, isListed);
  // Read tokenizer.json first, because it makes the other files of a tokenizer unnecessary.
  const tokenizer = names.includes('tokenizer.json') && (await read('tokenizer.json'));
  const others = names.filter((name) => mayBeNeeded(name, config, !!tokenizer));
  let done = 0;
  await Promise.all(others.map((name) => read(name, mayLack(name)).then(() => void progress(++done / others.length))));
  return files;
}

/**
 * Whether a file may still be needed. Files that most folders do not have are not requested without need.
 * @param {string} name
 * @param {string} config
 * @param {boolean} hasTokenizer whether there is a tokenizer.json
 */
function mayBeNeeded(name, config, hasTokenizer) {
  if (hasTokenizer) return name === 'generation_config.json';
  if (name === 'target_vocab.json') return hasTwoVocabularies(config);
  return name !== 'config.json' && name !== 'tokenizer.json';
}

/**
 * @param {GuardedModels} wasm
 * @param {number} loader
 * @param {WeightFile[]} files
 * @param {AbortSignal} signal
 * @param {Progress} progress
 */
async function feedAll(wasm, loader, files, signal, progress) {
  for (const [index, file] of files.entries()) {
    const report = part(progress, index / files.length, (index + 1) / files.length);
    const filler = new RangeFiller(wasm, loader, index);
    if (filler.isDone) continue;
    const opened = await file.open();
    if (opened.blob) await feedBlob(wasm, loader, opened.blob, index, file.name, signal, report);
    else await feed(filler, opened, file.name, signal, report);
  }
}

/**
 * @param {GuardedModels} wasm
 * @param {number} loader
 * @param {Blob} blob
 * @param {number} file
 * @param {string} name of the file
 * @param {AbortSignal} signal
 * @param {Progress} progress
 */
async function feedBlob(wasm, loader, blob, file, name, signal, progress) {
  let done = 0;
  for (let range = wasm.loaderNext(loader); range.length > 0 && range.file === file; range = wasm.loaderNext(loader)) {
    const bytes = await readBlob(blob, range.offset, range.offset + range.length, name);
    signal.throwIfAborted();
    if (bytes.length < range.length)
      throw new QkvError('INVALID_FILE', 'ends before the data that its directory names', name);
    wasm.loaderStage(loader).set(bytes);
    wasm.loaderCommit(loader);
    progress(Math.min((done += bytes.length) / blob.size, 1)); // two tensors may share their bytes
  }
}

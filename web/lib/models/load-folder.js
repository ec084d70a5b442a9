// Loads a folder of any kind into an engine: config.json first, which says what else there may be, then the other small
// files, then the weights: one file or shards, safetensors as it arrives, what PyTorch pickled in the order that it asks for.
import { withSignals } from '../abort.js';
import { QkvError } from '../errors.js';
import { collect, open } from '../fetch.js';
import { RangeFiller, asText, feed, kSmallShare, missing } from '../load.js';
import { hasTwoVocabularies, locate, weightsFile } from '../model-source.js';
import { readDirectory } from './directory.js';
import { isZip, openEntry, readZip } from './zip.js';

/** @typedef {import('./glue.js').GuardedModels} GuardedModels */
/** @typedef {import('../fetch.js').Opened & {blob?: Blob}} OpenedFile `blob`: all of it, to be read in any order */
/** @typedef {import('./folder-source.js').FolderSource} FolderSource */
/** @typedef {import('../load.js').Progress} Progress */

/**
 * What weights of floats are kept as; 'auto': int8 where floats would take over 128 MiB.
 * @typedef {'auto' | 'float' | 'int8'} Numbers
 */

/** @typedef {{name: string, size: number, open: () => Promise<OpenedFile>}} WeightFile `size` 0: not known */
/**
 * What is known of a folder before its weights are read.
 * @typedef {object} Inspected
 * @property {number} fileBytes of its files of weights; 0: not known
 * @property {string} modelType as config.json has it: 'bert'
 * @property {string} architecture as config.json has it, '' where it does not say: 'BertForMaskedLM'
 * @property {import('./directory.js').TensorInfo[]} tensors none of what PyTorch pickled
 */

/** @typedef {(name: string) => Promise<OpenedFile | null>} Opener of the folder's files; null where there is none */

/**
 * @param {Promise<any>} engine
 * @param {FolderSource} source
 * @param {AbortSignal} outer
 * @param {Progress} progress
 * @returns {Promise<number>} the model's handle; rejects with a QkvError or with the signal's reason
 */
export function loadFolder(engine, source, outer, progress) {
  return withSignals([outer], async (signal) => {
    const wasm = /** @type {GuardedModels} */ (await engine);
    const { loader, weights } = await begin(wasm, source, signal, (done) => progress(kSmallShare * done));
    try {
      await feedAll(wasm, loader, weights, signal, (done) => progress(kSmallShare + (1 - kSmallShare) * done));
      return wasm.loaderFinish(loader);
    } catch (error) {
      wasm.loaderFree(loader);
      throw error;
    }
  });
}

/**
 * What a folder holds; of its weights no more is read than says what they are.
 * @param {GuardedModels} wasm
 * @param {FolderSource} source
 * @param {AbortSignal} outer
 * @returns {Promise<import('./glue.js').AnyInfo & Inspected>}
 */
export function inspectFolder(wasm, source, outer) {
  return withSignals([outer], async (signal) => {
    const { loader, weights, opener, config } = await begin(wasm, source, signal, () => {});
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
 * The first chunk holds the directory, or the one that ends it; what of the tensors comes with it is read too.
 * @param {GuardedModels} wasm
 * @param {number} loader
 * @param {WeightFile} file
 */
async function feedDirectory(wasm, loader, file) {
  const filler = new RangeFiller(wasm, loader);
  const { chunks } = await file.open();
  for await (const chunk of chunks) {
    if (filler.take(chunk) || filler.ranges > 2) return;
  }
}

/**
 * @param {GuardedModels} wasm
 * @param {FolderSource} source
 * @param {AbortSignal} signal
 * @param {Progress} progress of the small files
 */
async function begin(wasm, source, signal, progress) {
  const opener = await openerOf(source, signal);
  const files = await readSmallFiles(wasm, opener, source, progress);
  const weights = await openWeights(wasm, opener, source);
  const sizes = weights.map(({ name, size }) => /** @type {[string, number]} */ ([name, size]));
  const numbers = source.numbers ?? 'auto';
  const loader = wasm.folderLoaderCreate({ files, weights: sizes, numbers });
  return { loader, weights, opener, config: /** @type {string} */ (files[0][1]) };
}

/**
 * @param {FolderSource} source
 * @param {AbortSignal} signal
 * @returns {Promise<Opener>}
 */
async function openerOf(source, signal) {
  if (!('zip' in source)) {
    return async (name) => {
      const from = locate(source, name);
      return from === undefined ? null : open(from, name, signal);
    };
  }
  const opened = await open(source.zip, 'zip', signal);
  if (!opened) throw new QkvError('MISSING_FILE', 'there is nothing there', String(source.zip));
  const blob = await toBlob(source.zip instanceof Blob ? { ...opened, blob: source.zip } : opened);
  if (!(await isZip(blob))) throw new QkvError('INVALID_FILE', 'it does not begin as a zip does', 'zip');
  const entries = await readZip(blob);
  return async (name) => (Object.hasOwn(entries, name) ? openEntry(entries[name], name) : null);
}

/**
 * @param {GuardedModels} wasm
 * @param {Opener} opener
 * @param {FolderSource} source
 * @param {Progress} progress
 * @returns {Promise<[string, string | Uint8Array][]>}
 */
async function readSmallFiles(wasm, opener, source, progress) {
  /** @type {[string, string | Uint8Array][]} */
  const files = [];
  const read = async (/** @type {string} */ name) => {
    const opened = await opener(name);
    if (!opened) return null;
    const bytes = await collect(opened, name);
    if (bytes.length === 0) throw new QkvError('INVALID_FILE', 'is empty', name);
    const content = /\.(json|txt)$/.test(name) ? asText(bytes, name) : bytes;
    files.push([name, content]);
    return content;
  };
  const config = /** @type {string | null} */ (await read('config.json'));
  if (config === null) throw notThere(source, 'config.json');
  const names = wasm.folderFiles(config);
  const tokenizer = names.includes('tokenizer.json') && (await read('tokenizer.json'));
  const others = names.filter((name) => isOpen(name, config, !!tokenizer));
  let done = 0;
  await Promise.all(others.map((name) => read(name).then(() => progress(++done / others.length))));
  return files;
}

/**
 * Whether a file may still say something, so that a server is not asked for what most folders lack.
 * @param {string} name
 * @param {string} config
 * @param {boolean} hasTokenizer tokenizer.json, beside which no other file of a tokenizer is read
 */
function isOpen(name, config, hasTokenizer) {
  if (hasTokenizer) return name === 'generation_config.json';
  if (name === 'target_vocab.json') return hasTwoVocabularies(config);
  return name !== 'config.json' && name !== 'tokenizer.json';
}

/**
 * The file of weights, or its shards, each opened when it is read: a server may not keep many waiting.
 * @param {GuardedModels} wasm
 * @param {Opener} opener
 * @param {FolderSource} source
 * @returns {Promise<WeightFile[]>}
 */
async function openWeights(wasm, opener, source) {
  for (const name of [weightsFile, 'pytorch_model.bin']) {
    const whole = await opener(name);
    if (whole) return [await weightFile(name, whole)];
    const index = await opener(`${name}.index.json`);
    if (!index) continue;
    const text = asText(await collect(index, `${name}.index.json`), `${name}.index.json`);
    const files = [];
    for (const shard of wasm.shardNames(text)) files.push(await shardFile(shard, opener, source));
    return files;
  }
  throw notThere(source, weightsFile);
}

/**
 * @param {string} name
 * @param {OpenedFile} opened
 * @returns {Promise<WeightFile>}
 */
async function weightFile(name, opened) {
  if (name.endsWith('.safetensors')) {
    return { name, size: opened.exact ? opened.size : 0, open: async () => opened };
  }
  const blob = await toBlob(opened); // its directory is at its end
  return { name, size: blob.size, open: async () => ({ ...opened, blob }) };
}

/**
 * @param {string} name
 * @param {Opener} opener
 * @param {FolderSource} source
 * @returns {Promise<WeightFile>}
 */
async function shardFile(name, opener, source) {
  const opening = async () => {
    const opened = await opener(name);
    if (!opened) throw notThere(source, name);
    return opened;
  };
  return name.endsWith('.safetensors') ? { name, size: 0, open: opening } : weightFile(name, await opening());
}

/**
 * @param {OpenedFile} opened
 * @returns {Promise<Blob>} which a browser may keep on disk
 */
async function toBlob(opened) {
  if (opened.blob) return opened.blob;
  const chunks = opened.chunks[Symbol.asyncIterator]();
  /** @type {unknown} */
  let problem; // browsers say of what broke a stream no more than that it could not be fetched
  const stream = new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value.slice());
      } catch (error) {
        controller.error((problem = error));
      }
    },
  });
  return new Response(stream).blob().catch((error) => {
    throw problem ?? error;
  });
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
    const report = (/** @type {number} */ bytes, /** @type {number} */ size) =>
      progress((index + (size ? Math.min(bytes / size, 1) : 0)) / files.length);
    const filler = new RangeFiller(wasm, loader, index);
    if (filler.isDone) continue;
    const opened = await file.open();
    if (opened.blob) await feedBlob(wasm, loader, opened.blob, index, signal, report);
    else await feed(filler, opened, file.name, signal, (bytes) => report(bytes, opened.size));
  }
}

/**
 * @param {GuardedModels} wasm
 * @param {number} loader
 * @param {Blob} blob
 * @param {number} file
 * @param {AbortSignal} signal
 * @param {(bytes: number, size: number) => void} report
 */
async function feedBlob(wasm, loader, blob, file, signal, report) {
  let done = 0;
  for (let range = wasm.loaderNext(loader); range.length > 0 && range.file === file; range = wasm.loaderNext(loader)) {
    const bytes = new Uint8Array(await blob.slice(range.offset, range.offset + range.length).arrayBuffer());
    signal.throwIfAborted();
    if (bytes.length < range.length) throw new QkvError('INVALID_FILE', 'ends before what its directory names');
    wasm.loaderStage(loader).set(bytes);
    wasm.loaderCommit(loader);
    report((done += bytes.length), blob.size);
  }
}

/**
 * @param {FolderSource} source
 * @param {string} name
 */
function notThere(source, name) {
  if (!('zip' in source)) return missing(source, name);
  return new QkvError('MISSING_FILE', `the zip has no file ${name}`, name);
}

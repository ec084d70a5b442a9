// Turns a model, as a caller gives it, into a record of files that an engine, perhaps in a worker, can read.
import { QkvError } from '../base/errors.js';
import { absoluteUrl } from '../base/runtime.js';
import { asBlobs } from '../base/snapshot.js';
import { isRecurrent } from './model-folder.js';

/** @typedef {import('./fetch.js').Source} Source */
/**
 * A store: a Cache of Cache Storage, or an object with these four methods of one.
 * @typedef {Pick<Cache, 'match' | 'put' | 'delete' | 'keys'>} ModelStore
 */
/**
 * How a model is kept.
 * @typedef {object} StoreSettings
 * @property {string} key identifies the model: the URL of its folder or of its weights
 * @property {string} name
 * @property {string} [sourceLanguage] BCP 47
 * @property {string} [targetLanguage] BCP 47
 * @property {string} [hash] SHA-256 of its weights, if it is known before anything is fetched
 * @property {string} [manifest] the URL of its folder's manifest.json, which may not exist
 * @property {ModelStore} [store] default: the browser's
 */

/**
 * The places of a model's files, as sent to a worker: a folder's absolute URL, which ends in a slash; the URL of a
 * folder's manifest.json, which lists them; or each file by name. `pair`: the pair in the names of Marian's files, such
 * as 'enfr'. `known`: files that have been read. `isShared`: downloads are kept for other engines. `hashes`: SHA-256 of
 * files by name, in hexadecimal digits. `store`: how the model is kept for the next visit.
 * @typedef {({folder: string} | {manifest: string} | {files: Record<string, Source>}) & {pair?: string, isShared?: boolean, known?: Record<string, Source>, hashes?: Record<string, string | undefined>, store?: StoreSettings}} ModelSource
 */

/**
 * The export of a model's package, such as qkv-en-fr: the URLs of a model's files by name.
 * @typedef {object} ModelPackage
 * @property {string} name 'en-fr'
 * @property {string} sourceLanguage BCP 47
 * @property {string} targetLanguage BCP 47
 * @property {Record<string, string>} files
 * @property {Record<string, number>} sizes of the files, in bytes
 * @property {Record<string, string>} [hashes] SHA-256 of the files, in hexadecimal digits
 */

/**
 * A model folder's URL, its files, a package such as qkv-en-fr, or a zip: its URL, which ends in .zip, or its bytes.
 * @typedef {string | URL | File[] | FileList | ModelPackage | Blob | ArrayBuffer | ArrayBufferView | {files: Record<string, Blob | ArrayBuffer | ArrayBufferView | URL | string>}} ModelOption
 */

/**
 * A source that must first be unpacked, or downloaded and checked. Calling it does that. `progress` goes up to 0.9.
 * `files`: the packed files.
 * @typedef {((signal: AbortSignal, progress: (done: number) => void) => Promise<ModelSource>) & {files: Record<string, Source>, store?: StoreSettings}} UnreadySource
 */

/**
 * @param {ModelOption} model
 * @returns {ModelSource} throws a QkvError, code INVALID_ARGUMENT
 */
export function modelSource(model) {
  if (typeof model === 'string' || model instanceof URL) {
    const url = absoluteUrl(model);
    const { pathname } = new URL(url);
    if (/\.zip$/i.test(pathname)) return { files: { 'model.zip': url } };
    return pathname.endsWith('/manifest.json') ? { manifest: url } : { folder: asFolder(url) };
  }
  if (model instanceof Blob || isBytes(model)) return { files: { 'model.zip': model } };
  if (isList(model)) return { files: byName([...model]) };
  const files = model?.files;
  if (files && typeof files === 'object') {
    const entries = Object.entries(files).filter(([, source]) => source != null);
    return { files: Object.fromEntries(entries.map(([name, source]) => [name, asSource(source, name)])) };
  }
  throw new QkvError('INVALID_ARGUMENT', 'give a URL, a list of files, or {files: {name: bytes}}', 'model');
}

/**
 * Whether only the engine of qkv/models runs the model, because of the format of its weights or because it is recurrent.
 * False if that is not known yet: for a folder's URL, or if config.json is not in memory.
 * @param {ModelSource} source
 */
export function needsModels(source) {
  if (!('files' in source)) return false;
  if (hasRecurrentConfig(source.files)) return true;
  return (
    !('model.safetensors' in source.files) &&
    Object.keys(source.files).some((name) =>
      /^(pytorch_model\.bin|(pytorch_model\.bin|model\.safetensors)\.index\.json|.*\.npz)$/.test(name),
    )
  );
}

/** @param {Record<string, Source>} files */
function hasRecurrentConfig({ 'config.json': config }) {
  try {
    return isBytes(config) && isRecurrent(new TextDecoder().decode(config));
  } catch {
    return false; // the buffer has been transferred: the reader of the files reports it
  }
}

/**
 * The same source, with its bytes in Blobs. It can be read after the call has returned, because nobody can change a Blob.
 * @template {ModelSource | UnreadySource | {zip: Source}} Any
 * @param {Any} source
 * @returns {Any}
 */
export const withBlobs = (source) =>
  typeof source === 'function'
    ? source
    : /** @type {any} */ (
        'files' in source ? { ...source, files: asBlobs(source.files) } : asBlobs(/** @type {any} */ (source))
      );

/**
 * The address of a model; null for a list of files.
 * @param {ModelSource | {zip: Source}} source
 * @returns {string | null}
 */
export function addressOf(source) {
  if ('folder' in source) return source.folder;
  return 'manifest' in source ? source.manifest : null;
}

/** The name of a model for people: the name of its folder. @param {string | null} address */
export const nameOf = (address) => address?.split('/').at(-2) || 'custom';

/**
 * @param {ModelOption} model
 * @returns {model is File[] | FileList}
 */
function isList(model) {
  return Array.isArray(model) || (typeof FileList === 'function' && model instanceof FileList);
}

/**
 * @param {unknown} value
 * @returns {value is ArrayBuffer | ArrayBufferView}
 */
const isBytes = (value) =>
  ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]';

/** @param {string} url */
function asFolder(url) {
  const { origin, protocol, pathname } = new URL(url);
  const path = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return (origin === 'null' ? `${protocol}//` : origin) + path;
}

/**
 * Files chosen in a page, by name. If several have the same name, the one closest to the top of the folder is used.
 * @param {File[]} files
 */
function byName(files) {
  const depth = (/** @type {File} */ file) => (file.webkitRelativePath ?? '').split('/').length;
  const deepestFirst = files.toSorted((a, b) => depth(b) - depth(a));
  return Object.fromEntries(deepestFirst.map((file) => [file.name, file]));
}

/**
 * @param {unknown} source
 * @param {string} name
 * @returns {Source}
 */
function asSource(source, name) {
  if (typeof source === 'string' || source instanceof URL) return absoluteUrl(source);
  if (source instanceof Blob || isBytes(source)) return source;
  throw new QkvError('INVALID_ARGUMENT', 'a file is a Blob, an ArrayBuffer, a typed array or a URL', name);
}

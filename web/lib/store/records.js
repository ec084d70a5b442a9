// Where models are kept: a cache of Cache Storage with the parts of files, and a record for each model that is complete.
// The addresses are on a host that does not exist. So no service worker of the page takes them for its own.

/** @typedef {import('../loading/model-source.js').ModelStore} ModelStore */
/** @typedef {import('../loading/model-source.js').StoreSettings} StoreSettings */

/**
 * A model that is kept completely.
 * @typedef {object} ModelRecord
 * @property {string} name
 * @property {string} [sourceLanguage]
 * @property {string} [targetLanguage]
 * @property {string} [hash] as in its settings
 * @property {number} date when it was stored, or its manifest was last fetched: milliseconds since 1970
 * @property {Record<string, string>} files the URL of each file
 * @property {Record<string, string | undefined>} hashes SHA-256 of each file, if it is known
 * @property {number} bytes of all files
 */

/** How long a store may take to answer, in milliseconds. After that, loading goes on without it. */
const kTimeLimit = 3000;

const kCache = 'qkv-models';
export const kOrigin = 'https://models.qkv.invalid/';
export const kRecords = `${kOrigin}model?`;

/** @param {string} [key] */
export const recordUrl = (key = '') => kRecords + encodeURIComponent(key);

/**
 * The address of a part of a file: made of the file's URL and the hash of its content, if that is known.
 * @param {{url: string, hash?: string}} file
 * @param {number} index
 */
export const partUrl = ({ url, hash }, index) => `${kOrigin}${index}?${encodeURIComponent([hash, url].join(' '))}`;

/**
 * The answer of a store, if it comes in time.
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T | undefined>} undefined if it takes too long, or rejects
 */
export const inTime = (answer) =>
  new Promise((given) => {
    const timer = setTimeout(given, kTimeLimit);
    answer.catch(() => undefined).then((value) => (clearTimeout(timer), given(value)));
  });

/**
 * @param {ModelStore} [store] default: the browser's
 * @returns {Promise<ModelStore>} rejects if there is none: in Node, on a page without HTTPS, in a browser that refuses
 */
export const openStore = async (store) => store ?? caches.open(kCache);

/** Whether the browser may have stored a model. This opens no cache. */
export const mayHaveKept = async () => (await inTime(Promise.resolve(globalThis.caches?.has(kCache)))) ?? false;

/**
 * @param {ModelStore} store
 * @param {string} [key]
 * @returns {Promise<ModelRecord | undefined>} undefined if there is none
 */
export const recordOf = async (store, key) => (await store.match(recordUrl(key)))?.json();

/**
 * Deletes the parts of a model's files.
 * @param {ModelStore} store
 * @param {ModelRecord} record
 * @param {(name: string) => boolean} [which]
 */
export async function deleteFiles(store, { files, hashes }, which = () => true) {
  for (const name of Object.keys(files).filter(which)) {
    for (let i = 0; await store.delete(partUrl({ url: files[name], hash: hashes[name] }, i)); i++);
  }
}

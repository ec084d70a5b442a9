// Brings a model's files from the network and the store to an engine. Stored files are read from the store. Files from the
// network go to the engine and to the store at the same time. They are stored in parts, so an interrupted download can
// continue.
import { QkvError } from '../base/errors.js';
import { bodyOf } from '../loading/download.js';
import { open as openFile, openOptional } from '../loading/fetch.js';
import { deleteFiles, inTime, openStore, partUrl, recordOf, recordUrl } from './records.js';
import { Sha256 } from './sha256.js';

/** @typedef {import('../loading/fetch.js').Opened} Opened */
/** @typedef {import('../loading/model-source.js').ModelSource} ModelSource */
/** @typedef {import('../loading/model-source.js').ModelStore} ModelStore */
/** @typedef {import('../loading/model-source.js').StoreSettings} StoreSettings */
/** @typedef {{name: string, url: string, hash?: string}} FileName */
/** @typedef {import('./records.js').ModelRecord} ModelRecord */
/**
 * The header of a part. `isLast`: the file ends with it; `tag`: the tag of the file, as in `Opened`.
 * @typedef {{size: number, isLast: boolean, tag?: string}} PartInfo
 */
/** @typedef {PartInfo & {response: Response}} Part */
/** @typedef {ReturnType<typeof makePartStore>} PartStore */

/** Bytes of a part. A page that is closed during a download loses at most so many. */
const kPart = 1 << 19;
/** The most parts that may wait for the store. They are in memory; if there are more, the engine waits too. */
const kMostWaiting = 8;
/** The manifest of a stored model without a hash is fetched again after a day, in milliseconds. */
const kDay = 86_400_000;
const kHeader = 'qkv-part';

/**
 * Loads a model through the store. When the model is loaded and all its parts are written, its record is written; the caller
 * does not wait for that. Files that are not a model are not kept.
 * @template T
 * @param {StoreSettings | undefined} settings without them nothing is kept
 * @param {AbortSignal} signal
 * @param {(parts: Promise<PartStore>) => Promise<T>} load
 * @returns {Promise<T>} rejects as `load` does
 */
export async function withPartStore(settings, signal, load) {
  const opening = openPartStore(settings, signal);
  /** @type {any} */
  let problem;
  try {
    return await load(opening);
  } catch (error) {
    throw (problem = error);
  } finally {
    opening.then((parts) => parts.close(problem)).catch(() => {});
  }
}

/**
 * @param {StoreSettings | undefined} settings
 * @param {AbortSignal} signal
 * @returns {Promise<PartStore>} resolves when no other page downloads the model
 */
async function openPartStore(settings, signal) {
  const { locks, storage } = globalThis.navigator ?? {}; // Node 20 has none
  if (!settings) return makePartStore(settings, signal, {});
  const lookUp = async () => {
    const store = await openStore(settings.store);
    const record = await recordOf(store, settings.key);
    return { store, record, isKept: !!record && record.hash === settings.hash };
  };
  /** @type {(how: LockOptions) => Promise<(() => void) | null>} null: another page holds it */
  const takeLock = (how) =>
    new Promise((resolve, reject) => {
      const hold = (/** @type {Lock | null} */ lock) =>
        lock ? new Promise((end) => resolve(/** @type {() => void} */ (end))) : resolve(null);
      locks.request(`qkv ${settings.key}`, how, hold).catch(reject);
    });
  // Both are done at the same time, because each takes some milliseconds before the download can begin. A lock that is
  // not needed is released.
  const [first, free] = await Promise.all([
    inTime(lookUp()),
    locks ? takeLock({ ifAvailable: true }).catch(() => undefined) : undefined,
  ]);
  let [found, release] = [first, free];
  if (!found || found.isKept) {
    release?.();
    release = undefined;
  } else if (release === null) {
    release = await takeLock({ signal });
    found = await inTime(lookUp()); // another page may have kept it in the meantime
  }
  // The browser takes long to estimate. The result is needed when the first file is opened.
  const estimate = storage?.estimate && inTime(storage.estimate());
  return makePartStore(settings, signal, { ...found, estimate }, release ?? undefined);
}

/**
 * @param {StoreSettings | undefined} settings
 * @param {AbortSignal} signal
 * @param {{store?: ModelStore, record?: ModelRecord, isKept?: boolean, estimate?: Promise<StorageEstimate | undefined>}} found
 *   `record`: the record with the model's key; `isKept`: it belongs to this version of the model; `estimate`: of the store's
 *   space
 * @param {() => void} [release] releases the lock, for the next page
 */
function makePartStore(settings, signal, { store, record, isKept, estimate }, release) {
  /** @type {Pick<ModelRecord, 'files' | 'hashes' | 'bytes'>} the files that are complete */
  const complete = { files: {}, hashes: {}, bytes: 0 };
  /** The addresses that were read or written. @type {string[]} */
  let touched = [];
  /** @type {Promise<boolean>[]} */
  const writes = [];
  let isStoring = !!store;

  const isFresh = isKept && record && Date.now() - record.date < kDay;
  /** The URL of manifest.json, if it is to be fetched: the model is not kept, or its manifest was fetched long ago. */
  const manifest = store && !isFresh ? settings?.manifest : undefined;

  /** @param {string[]} addresses */
  const deleteAll = async (addresses) => {
    for (const address of addresses) await store?.delete(address);
  };

  /**
   * A model's source. If the model is kept, its files are those of the record.
   * @param {any} source
   * @returns {ModelSource}
   */
  const listed = (source) => {
    if (!record || !isKept) return source;
    const { folder: _f, manifest: _m, ...rest } = source;
    return { ...rest, files: { ...rest.files, ...record.files }, hashes: record.hashes };
  };

  /**
   * Opens a file: from the store, from the network, or its beginning from the store and the rest from the network.
   * @param {string} name
   * @param {string} url
   * @param {string | undefined} hash its SHA-256, if it is known
   * @param {{isOptional?: boolean, isChecked?: boolean}} [how] `isOptional`: the server may lack it; `isChecked`: its
   *   hash is compared; default: true
   * @returns {Promise<Opened | null>} rejects as `open` and `openOptional` do
   */
  async function open(name, url, hash, { isOptional, isChecked = true } = {}) {
    // A file whose last part is stored is complete.
    const isRemote = /^https?:/.test(url);
    const file = { name, url, hash };
    const parts = (isRemote && (await inTime(partsOf(file)))) || [];
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    const sum = hash && isChecked && !isKept ? new Sha256() : undefined;
    if (parts.at(-1)?.isLast) return { size, exact: true, chunks: chunksOf(file, parts, sum) };
    // The rest comes from the network. If the server sends the whole file, the stored parts are deleted.
    const from = size > 0 ? { size, hash, tag: parts[0].tag } : undefined;
    const opened = await (isOptional ? openOptional : openFile)(url, name, signal, from);
    if (!opened || !isRemote) return opened;
    if (!opened.isRest) await inTime(deleteAll(parts.splice(0).map((_, i) => partUrl(file, i))));
    // Without enough space nothing is stored.
    const { quota = Infinity, usage = 0 } = (isStoring && (await estimate)) || {};
    if (opened.size > quota - usage) isStoring = false;
    return { ...opened, chunks: chunksOf(file, parts, sum, opened) };
  }

  /**
   * The kept parts of a file.
   * @param {FileName} file
   */
  async function partsOf(file) {
    /** @type {Part[]} */
    const parts = [];
    while (store && !parts.at(-1)?.isLast) {
      const address = partUrl(file, parts.length);
      const response = await store.match(address);
      if (!response) break;
      touched.push(address);
      parts.push({ response, ...JSON.parse(response.headers.get(kHeader) ?? '') });
    }
    return parts;
  }

  /**
   * A file's bytes: first those in the store, then those from the network, which are also written to the store. At the end
   * the hash is compared.
   * @param {FileName} file
   * @param {Part[]} parts
   * @param {Sha256} [sum]
   * @param {Opened} [opened] the rest from the network; without it the whole file is stored
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async function* chunksOf(file, parts, sum, opened) {
    // The buffer has one byte more than the file, so the last part is never full.
    const buffer = new Uint8Array(opened && store ? Math.min(kPart, (opened.size || kPart) + 1) : 0);
    let [size, index, isLast] = [0, parts.length, false];
    const writeBuffer = () => {
      const headers = { [kHeader]: JSON.stringify({ size, isLast, tag: opened?.tag }) };
      const part = new Response(buffer.subarray(0, size), { headers }); // copies the bytes
      size = 0;
      return write(partUrl(file, index++), part);
    };
    // The chunks of the stored parts, then those from the network.
    try {
      for (const from of [...parts.map(({ response }) => bodyOf(response, file.name, signal)), opened]) {
        for await (const chunk of from?.chunks ?? []) {
          sum?.add(chunk);
          complete.bytes += chunk.length;
          for (let rest = chunk; from === opened && isStoring && rest.length > 0;) {
            const taken = rest.subarray(0, buffer.length - size);
            buffer.set(taken, size);
            size += taken.length;
            rest = rest.subarray(taken.length);
            if (size === buffer.length) await writeBuffer();
          }
          yield chunk;
        }
      }
      isLast = true;
    } finally {
      if (!isLast && size > 0) void writeBuffer(); // the download broke off: keep what has arrived
    }
    // Compare the hash before the last part is written. A file without its last part is not complete.
    const { name, url, hash } = file;
    const digest = sum?.digest();
    if (digest !== (sum && hash)) {
      const message = `is not the file that its manifest lists: its SHA-256 is ${digest} instead of ${hash}`;
      throw new QkvError('INVALID_FILE', message, name);
    }
    if (opened) await writeBuffer();
    complete.files[name] = url;
    complete.hashes[name] = hash;
  }

  /**
   * Writes a part. Then waits if too many parts are still being written.
   * @param {string} address
   * @param {Response} part
   */
  async function write(address, part) {
    if (!isStoring) return;
    touched.push(address);
    const put = async () => (await store?.put(address, part), true);
    writes.push(put().catch(() => (isStoring = false)));
    const earlier = writes.at(-kMostWaiting);
    if (earlier && !(await inTime(earlier))) isStoring = false;
  }

  /**
   * Ends the loading. If all files are complete, writes the record and deletes the older version of the model.
   * @param {any} problem undefined: the model has been loaded
   */
  async function close(problem) {
    // Delete the parts that were used if the files are not a model, or if writing has failed.
    await Promise.all(writes);
    const address = recordUrl(settings?.key);
    if (problem?.code === 'INVALID_FILE') touched.push(address);
    else if (isStoring) touched = [];
    await inTime(deleteAll(touched));
    // Write the record, then delete files that only the older record has.
    if (store && isStoring && !problem && !(isKept && !manifest)) {
      const { key: _k, manifest: _m, store: _s, ...about } = /** @type {StoreSettings} */ (settings);
      const put = store.put(address, new Response(JSON.stringify({ ...about, date: Date.now(), ...complete })));
      const isOlder = (/** @type {string} */ name) => record?.hashes[name] !== complete.hashes[name];
      await inTime(put.then(() => record && deleteFiles(store, record, isOlder)));
    }
    release?.();
  }

  return { manifest, listed, open, close };
}

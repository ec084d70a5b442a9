// A model's files between the network, the store and an engine. Files that are kept are read from the store. Files from the
// network go into the engine and at the same time into the store, in parts, so that an interrupted download can continue.
import { QkvError } from '../base/errors.js';
import { bodyOf } from '../loading/download.js';
import { open as openFile, openOptional } from '../loading/fetch.js';
import { deleteFiles, openStore, partUrl, recordOf, recordUrl, soon } from './records.js';
import { Sha256 } from './sha256.js';

/** @typedef {import('../loading/fetch.js').Opened} Opened */
/** @typedef {import('../loading/model-source.js').ModelSource} ModelSource */
/** @typedef {import('../loading/model-source.js').ModelStore} ModelStore */
/** @typedef {import('../loading/model-source.js').StoreSettings} StoreSettings */
/** @typedef {{name: string, url: string, hash?: string}} FileName */
/** @typedef {import('./records.js').ModelRecord} ModelRecord */
/**
 * The header of a part. `isLast`: the file ends with it; `tag`: the file's, as `Opened` has it.
 * @typedef {{size: number, isLast: boolean, tag?: string}} PartInfo
 */
/** @typedef {PartInfo & {response: Response}} Part */
/** @typedef {ReturnType<typeof makePartStore>} PartStore */

/** Bytes of a part: a page that is closed loses at most so much. */
const kPart = 1 << 19;
/** Parts that may wait for the store before the engine waits for them: they are in memory. */
const kMostWaiting = 8;
/** How long a model without a hash is used before its manifest is fetched again, in milliseconds: a day. */
const kDay = 86_400_000;
const kHeader = 'qkv-part';

/**
 * Loads a model through the store. When it is loaded and everything is written, the model counts as kept; the caller does not
 * wait for that. Files that turn out not to be a model are not kept.
 * @template T
 * @param {StoreSettings | undefined} settings left out: nothing is kept
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
 * @returns {Promise<PartStore>} once no other page downloads the model
 */
async function openPartStore(settings, signal) {
  const { locks, storage } = globalThis.navigator ?? {}; // Node 20 has none
  if (!settings) return makePartStore(settings, signal, {});
  const look = async () => {
    const store = await openStore(settings.store);
    const record = await recordOf(store, settings.key);
    return { store, record, isKept: !!record && record.hash === settings.hash };
  };
  /** @type {(how: LockOptions) => Promise<(() => void) | null>} null: another page holds it */
  const take = (how) =>
    new Promise((held, failed) => {
      const hold = (/** @type {Lock | null} */ lock) =>
        lock ? new Promise((end) => held(/** @type {() => void} */ (end))) : held(null);
      locks.request(`qkv ${settings.key}`, how, hold).catch(failed);
    });
  // At the same time, because each takes some milliseconds before the download can begin. A lock that is not needed is
  // released.
  const [first, free] = await Promise.all([
    soon(look()),
    locks ? take({ ifAvailable: true }).catch(() => undefined) : undefined,
  ]);
  let [found, release] = [first, free];
  if (!found || found.isKept) {
    release?.();
    release = undefined;
  } else if (release === null) {
    release = await take({ signal });
    found = await soon(look()); // another page may have kept it in the meantime
  }
  // Begun now, because the browser takes long, and needed when the first file is opened.
  const estimate = storage?.estimate && soon(storage.estimate());
  return makePartStore(settings, signal, { ...found, estimate }, release ?? undefined);
}

/**
 * @param {StoreSettings | undefined} settings
 * @param {AbortSignal} signal
 * @param {{store?: ModelStore, record?: ModelRecord, isKept?: boolean, estimate?: Promise<StorageEstimate | undefined>}} found
 *   `record`: the one kept by the model's key; `isKept`: it is of this model; `estimate`: of the whole store
 * @param {() => void} [release] lets the next page go on
 */
function makePartStore(settings, signal, { store, record, isKept, estimate }, release) {
  /** @type {Pick<ModelRecord, 'files' | 'hashes' | 'bytes'>} the files that are complete */
  const come = { files: {}, hashes: {}, bytes: 0 };
  /** The addresses that were read or written. @type {string[]} */
  let touched = [];
  /** @type {Promise<boolean>[]} */
  const writes = [];
  let isKeeping = !!store;

  const isFresh = isKept && record && Date.now() - record.date < kDay;
  /** The place of a manifest.json that lists the files, for a model that is not kept, or not looked up for long. */
  const manifest = store && !isFresh ? settings?.manifest : undefined;

  /** @param {string[]} addresses */
  const drop = async (addresses) => {
    for (const address of addresses) await store?.delete(address);
  };

  /**
   * A model's source, with kept files in place of those that would be fetched.
   * @param {any} source
   * @returns {ModelSource}
   */
  const listed = (source) => {
    if (!record || !isKept) return source;
    const { folder: _f, manifest: _m, ...rest } = source;
    return { ...rest, files: { ...rest.files, ...record.files }, hashes: record.hashes };
  };

  /**
   * Opens a file: from the store, from there and from the network, or from the network alone.
   * @param {string} name
   * @param {string} url
   * @param {string | undefined} hash its SHA-256, where it is known
   * @param {{isOptional?: boolean, isChecked?: boolean}} [how] `isOptional`: the server may lack it; `isChecked`: its
   *   hash is compared; left out: true
   * @returns {Promise<Opened | null>} rejects as `open` and `openOptional` do
   */
  async function open(name, url, hash, { isOptional, isChecked = true } = {}) {
    const isRemote = /^https?:/.test(url);
    const file = { name, url, hash };
    const parts = (isRemote && (await soon(partsOf(file)))) || [];
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    const sum = hash && isChecked && !isKept ? new Sha256() : undefined;
    if (parts.at(-1)?.isLast) return { size, exact: true, chunks: chunksOf(file, parts, sum) };
    const from = size > 0 ? { size, hash, tag: parts[0].tag } : undefined;
    const opened = await (isOptional ? openOptional : openFile)(url, name, signal, from);
    if (!opened || !isRemote) return opened;
    if (!opened.isRest) await soon(drop(parts.splice(0).map((_, i) => partUrl(file, i))));
    const { quota = Infinity, usage = 0 } = (isKeeping && (await estimate)) || {};
    if (opened.size > quota - usage) isKeeping = false;
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
   * A file's bytes: first those that are kept, then those that arrive, which are also written to the store. At the end their
   * hash is compared.
   * @param {FileName} file
   * @param {Part[]} parts
   * @param {Sha256} [sum]
   * @param {Opened} [opened] the rest from the network; left out: all is kept
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async function* chunksOf(file, parts, sum, opened) {
    // One byte more than the file has, so that its last part is never full.
    const held = new Uint8Array(opened && store ? Math.min(kPart, (opened.size || kPart) + 1) : 0);
    let [size, index, isLast] = [0, parts.length, false];
    const writeHeld = () => {
      const headers = { [kHeader]: JSON.stringify({ size, isLast, tag: opened?.tag }) };
      const part = new Response(held.subarray(0, size), { headers }); // which copies the bytes
      size = 0;
      return write(partUrl(file, index++), part);
    };
    try {
      for (const from of [...parts.map(({ response }) => bodyOf(response, file.name, signal)), opened]) {
        for await (const chunk of from?.chunks ?? []) {
          sum?.add(chunk);
          come.bytes += chunk.length;
          for (let rest = chunk; from === opened && isKeeping && rest.length > 0;) {
            const taken = rest.subarray(0, held.length - size);
            held.set(taken, size);
            size += taken.length;
            rest = rest.subarray(taken.length);
            if (size === held.length) await writeHeld();
          }
          yield chunk;
        }
      }
      isLast = true;
    } finally {
      if (!isLast && size > 0) void writeHeld(); // the part of a download that broke off
    }
    const { name, url, hash } = file;
    const digest = sum?.digest();
    if (digest !== (sum && hash)) {
      const message = `is not the file that its manifest lists: its SHA-256 is ${digest} instead of ${hash}`;
      throw new QkvError('INVALID_FILE', message, name);
    }
    if (opened) await writeHeld();
    come.files[name] = url;
    come.hashes[name] = hash;
  }

  /**
   * Writes a part. Waits first if too many are still being written.
   * @param {string} address
   * @param {Response} part
   */
  async function write(address, part) {
    if (!isKeeping) return;
    touched.push(address);
    const put = async () => (await store?.put(address, part), true);
    writes.push(put().catch(() => (isKeeping = false)));
    const earlier = writes.at(-kMostWaiting);
    if (earlier && !(await soon(earlier))) isKeeping = false;
  }

  /**
   * Ends the loading. If all files have arrived, writes the record and deletes the former version of the model.
   * @param {any} problem undefined: the model is in the engine
   */
  async function close(problem) {
    await Promise.all(writes);
    const address = recordUrl(settings?.key);
    if (problem?.code === 'INVALID_FILE') touched.push(address);
    else if (isKeeping) touched = [];
    await soon(drop(touched));
    if (store && isKeeping && !problem && !(isKept && !manifest)) {
      const { key: _k, manifest: _m, store: _s, ...about } = /** @type {StoreSettings} */ (settings);
      const put = store.put(address, new Response(JSON.stringify({ ...about, date: Date.now(), ...come })));
      const isOlder = (/** @type {string} */ name) => record?.hashes[name] !== come.hashes[name];
      await soon(put.then(() => record && deleteFiles(store, record, isOlder)));
    }
    release?.();
  }

  return { manifest, listed, open, close };
}

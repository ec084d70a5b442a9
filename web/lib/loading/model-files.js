// The files of one model, as a loader asks for them by name.
import { QkvError } from '../base/errors.js';
import { collect, open, openOptional, readAll } from './fetch.js';
import { unpacked } from './gunzip.js';

/** @typedef {import('./fetch.js').Opened} Opened */
/** @typedef {Record<string, Blob>} Downloaded the downloaded files, by name */

/**
 * Opens a file of a model. Null for an optional file that is absent. In a list of files nothing optional is looked for,
 * because a list is complete.
 * @typedef {(name: string, isOptional?: boolean) => Promise<Opened | null>} Opener rejects with a QkvError that says why
 */

/** @typedef {import('./model-source.js').ModelSource} ModelSource */
/** @typedef {Exclude<ModelSource, {manifest: string}>} ListedSource */

/**
 * The same source after its manifest has been read. Then only the files of the manifest are requested, and their hashes
 * are known.
 * @param {ModelSource} source
 * @param {AbortSignal} [signal]
 * @param {string} [beside] the URL of a manifest that may exist; a file that is not a manifest of a model is ignored
 * @returns {Promise<ListedSource>} rejects with INVALID_FILE if a required manifest is not one
 */
export async function listed(source, signal, beside) {
  if ('manifest' in source) {
    const { manifest, ...rest } = source;
    return { ...rest, ...filesOf(await readAll(manifest, kManifest, signal), manifest) };
  }
  const opened = beside === undefined ? null : await openOptional(beside, kManifest, signal);
  if (!opened || beside === undefined) return source;
  try {
    const { files, hashes } = filesOf(await collect(opened, kManifest), beside);
    const { folder: _, ...rest } = /** @type {any} */ (source);
    return { ...rest, files: { ...rest.files, ...files }, hashes };
  } catch (error) {
    if (error instanceof QkvError && error.code === 'INVALID_FILE') return source;
    throw error;
  }
}

const kManifest = 'manifest.json';
const kMostFiles = 1000;

/**
 * The files that a manifest lists, each a name in the manifest's own folder.
 * @param {Uint8Array} bytes of `{"files": {"config.json": {"size": 812, "sha256": "4f1c…"}}}`, or with sizes alone
 * @param {string} url of the manifest
 */
function filesOf(bytes, url) {
  /** @type {{files: Record<string, string>, hashes: Record<string, string>}} */
  const list = { files: {}, hashes: {} };
  try {
    const entries = Object.entries(JSON.parse(asText(bytes, kManifest)).files);
    if (entries.length > kMostFiles) throw 0;
    for (const [name, { sha256 }] of /** @type {[string, any][]} */ (entries)) {
      if (!/^[\w-][\w.-]*$/.test(name) || !/^([\da-f]{64}|undefined)$/.test(sha256)) throw 0;
      list.files[name] = new URL(name, url).href;
      list.hashes[name] = sha256;
    }
    return list;
  } catch {
    const message = 'is not a list of files: {"files": {"config.json": {"size": 812, "sha256": "4f1c…"}}}';
    throw new QkvError('INVALID_FILE', message, kManifest);
  }
}

/**
 * @param {ListedSource} source
 * @param {AbortSignal} [signal]
 * @param {Downloaded} [downloaded] gets each downloaded file when it is complete
 * @param {{open: (name: string, url: string, hash: string | undefined, how: {isOptional: boolean}) => Promise<Opened | null>}} [parts] the store: it gives stored files and stores downloads
 * @returns {Opener}
 */
export function openerOf(source, signal, downloaded, parts) {
  /** @type {Opener} */
  const opener = async (name, isOptional = false) => {
    const from = source.known?.[name] ?? ('folder' in source ? source.folder + name : source.files[name]);
    // A list may have the file packed by gzip. Its name does not end in .gz, because some servers would unpack it.
    const packed = `${name}.packed`;
    if (from === undefined && 'files' in source && source.files[packed] !== undefined) {
      return unpacked(/** @type {Opened} */ (await opener(packed)), packed, signal);
    }
    if (from === undefined && isOptional) return null;
    if (from === undefined) throw new QkvError('MISSING_FILE', `the model has no file ${name}`, name);
    const isProbed = isOptional && 'folder' in source;
    const isRemote = typeof from === 'string' && /^https?:/.test(from);
    const opened =
      parts && isRemote
        ? await parts.open(name, from, source.hashes?.[name], { isOptional: isProbed })
        : await (isProbed ? openOptional : open)(from, name, signal);
    return opened && downloaded && isRemote
      ? { ...opened, chunks: copying(opened.chunks, (file) => (downloaded[name] = file)) }
      : opened;
  };
  return opener;
}

/**
 * The same chunks. The whole file goes to `complete` when the last chunk has been read.
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {(file: Blob) => void} complete
 */
async function* copying(chunks, complete) {
  const parts = [];
  for await (const chunk of chunks) {
    parts.push(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (chunk)]));
    yield chunk;
  }
  complete(new Blob(parts));
}

/**
 * @param {Opener} opener
 * @param {string} name
 * @param {boolean} [isOptional]
 * @returns {Promise<Uint8Array<ArrayBuffer> | null>} rejects as the opener does, and with INVALID_FILE if it is empty
 */
export async function readFile(opener, name, isOptional) {
  const opened = await opener(name, isOptional);
  const bytes = opened && (await collect(opened, name));
  if (bytes?.length === 0) throw new QkvError('INVALID_FILE', 'is empty', name);
  return bytes;
}

/**
 * @param {Uint8Array | null} bytes
 * @param {string} name
 * @returns {string} '' for none
 */
export function asText(bytes, name) {
  try {
    return bytes ? new TextDecoder('utf-8', { fatal: true }).decode(bytes) : '';
  } catch (cause) {
    throw new QkvError('INVALID_FILE', 'is not UTF-8', name, { cause });
  }
}

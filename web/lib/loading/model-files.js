// The files of one model, as a loader asks for them by name.
import { QkvError } from '../base/errors.js';
import { collect, open, openOptional, readAll } from './fetch.js';

/** @typedef {import('./fetch.js').Opened} Opened */
/** @typedef {Record<string, Blob>} Kept files that were downloaded, by their names */

/**
 * Opens a file of a model. Null for an optional file that is absent; only a folder's URL can have those, because a list
 * of files is complete.
 * @typedef {(name: string, isOptional?: boolean) => Promise<Opened | null>} Opener rejects with a QkvError that says why
 */

/** @typedef {import('./model-source.js').ModelSource} ModelSource */
/** @typedef {Exclude<ModelSource, {manifest: string}>} ListedSource */

/**
 * A source whose manifest has been read: only the files that it lists are requested.
 * @param {ModelSource} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<ListedSource>} rejects with INVALID_FILE if it is not a manifest
 */
export async function listed(source, signal) {
  if (!('manifest' in source)) return source;
  const { manifest, ...rest } = source;
  const names = namesIn(asText(await readAll(manifest, 'manifest.json', signal), 'manifest.json'));
  return { ...rest, files: Object.fromEntries(names.map((name) => [name, new URL(name, manifest).href])) };
}

/** @param {string} text `{"files": {"config.json": 812}}`, with sizes in bytes @returns {string[]} */
function namesIn(text) {
  try {
    const names = Object.keys(JSON.parse(text).files);
    if (names.every((name) => /^[\w-][\w.-]*$/.test(name))) return names; // of the folder itself
  } catch {
    // It is not JSON, or has no files.
  }
  throw new QkvError('INVALID_FILE', 'is no list of files: {"files": {"config.json": 812}}', 'manifest.json');
}

/**
 * @param {ListedSource} source
 * @param {AbortSignal} [signal]
 * @param {Kept} [kept] gets each downloaded file when it is complete
 * @returns {Opener}
 */
export function openerOf(source, signal, kept) {
  return async (name, isOptional = false) => {
    const from = source.known?.[name] ?? ('folder' in source ? source.folder + name : source.files[name]);
    if (from === undefined && isOptional) return null;
    if (from === undefined) throw new QkvError('MISSING_FILE', `the model has no file ${name}`, name);
    const isProbed = isOptional && 'folder' in source;
    const opened = await (isProbed ? openOptional : open)(from, name, signal);
    const isKept = opened && kept && /^https?:/.test(String(from));
    return isKept ? { ...opened, chunks: keeping(opened.chunks, (file) => (kept[name] = file)) } : opened;
  };
}

/**
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {(file: Blob) => void} keep
 */
async function* keeping(chunks, keep) {
  const parts = [];
  for await (const chunk of chunks) {
    parts.push(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (chunk)]));
    yield chunk;
  }
  keep(new Blob(parts));
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

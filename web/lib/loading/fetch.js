// Opens files of a model or an engine: over http, in Node, from a data: URL, a Blob or memory.
import { download, kChunk, reason } from './download.js';
import { QkvError } from '../base/errors.js';
import { fileSystem } from '../base/runtime.js';
import { genuine, lookForPage } from './sniff.js';

/** @typedef {import('../base/runtime.js').FileSystem} FileSystem */

/**
 * An open file: its bytes in chunks, and its size if known. A reader reads to the end: browsers keep only complete
 * downloads for the next visit.
 * @typedef {object} Opened
 * @property {AsyncIterable<Uint8Array>} chunks a chunk is valid until the next one is read: they may share one buffer
 * @property {number} size for progress; 0 if not known
 * @property {boolean} exact whether `size` is exact
 * @property {string} [tag] of a download: identifies its content; other content at the same address has another tag
 * @property {boolean} [isRest] whether it begins where the given `Beginning` ends
 */

/** @typedef {string | Blob | ArrayBuffer | ArrayBufferView} Source a string is an absolute URL */

/** The limit for files that are read whole: those of a tokenizer, a WebAssembly module. */
const kLargestWhole = 64 << 20;

/**
 * Opens a required file.
 * @param {Source} source
 * @param {string} name for errors
 * @param {AbortSignal} [signal]
 * @param {import('./download.js').Beginning} [from] the first bytes, which have been downloaded before
 * @returns {Promise<Opened>} rejects with a QkvError, code NETWORK, MISSING_FILE or INVALID_FILE (a page or a pointer
 *   instead of the file), or with `signal.reason`
 */
export async function open(source, name, signal, from) {
  return /** @type {Opened} */ (await openAny(source, name, signal, false, from));
}

/**
 * Opens an optional file. Any failure that can mean "no such file" counts as absence: a status from 400 to 499, a page
 * of HTML, an answer without CORS.
 * @param {Source} source
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @param {import('./download.js').Beginning} [from]
 * @returns {Promise<Opened | null>} null if it is absent; rejects as `open` does
 */
export function openOptional(source, name, signal, from) {
  return openAny(source, name, signal, true, from);
}

/**
 * @param {Source} source
 * @param {string} name
 * @param {AbortSignal | undefined} signal
 * @param {boolean} isOptional
 * @param {import('./download.js').Beginning} [from]
 * @returns {Promise<Opened | null>}
 */
async function openAny(source, name, signal, isOptional, from) {
  if (typeof source !== 'string') return genuineOf(fromMemory(source, name), name, '');
  if (source.startsWith('data:')) return fromMemory(dataBytes(source), name);
  const files = source.startsWith('file:') && fileSystem();
  if (files) {
    const file = await openFile(files, source, name, isOptional);
    return file && genuineOf(file, name, source);
  }
  const opened = await download(source, name, signal, isOptional, from);
  if (!opened || !isOptional) return opened && genuineOf(opened, name, source);
  const { isPage, chunks } = await lookForPage(opened.chunks);
  if (!isPage) return genuineOf({ ...opened, chunks }, name, source);
  await chunks.next();
  await chunks.return(undefined);
  return null;
}

/**
 * The same file. Its chunks throw if it is an HTML page or a pointer of Git LFS.
 * @param {Opened} opened
 * @param {string} name
 * @param {string} from its address, for errors; '' if it has none
 * @returns {Opened}
 */
export const genuineOf = (opened, name, from) => ({ ...opened, chunks: genuine(opened.chunks, name, from) });

/**
 * Reads a required file whole.
 * @param {Source} source
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array<ArrayBuffer>>} rejects as `open` does, and with LIMIT_EXCEEDED past 64 MiB
 */
export async function readAll(source, name, signal) {
  return collect(await open(source, name, signal), name);
}

/**
 * @param {Opened} opened
 * @param {string} name
 * @returns {Promise<Uint8Array<ArrayBuffer>>} rejects as `readAll` does
 */
export async function collect({ chunks, size, exact }, name) {
  // If the exact size is known, the bytes go into one array at once. This avoids a second copy.
  const whole = new Uint8Array(exact ? Math.min(size, kLargestWhole) : 0);
  const parts = [whole.subarray(0, 0)];
  let got = 0;
  for await (const chunk of chunks) {
    const begin = got;
    got += chunk.length;
    if (got > kLargestWhole) throw new QkvError('LIMIT_EXCEEDED', 'is over 64 MiB', name);
    if (got > whole.length) {
      parts.push(chunk.slice());
    } else {
      whole.set(chunk, begin);
      parts[0] = whole.subarray(0, got);
    }
  }
  return got === whole.length ? whole : concatenate(parts);
}

/** @param {Uint8Array[]} chunks */
export function concatenate(chunks) {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * @param {FileSystem} files
 * @param {string} url
 * @param {string} name
 * @param {boolean} isOptional
 * @returns {Promise<Opened | null>}
 */
async function openFile(files, url, name, isOptional) {
  try {
    const found = await files.stat(new URL(url));
    if (!found.isFile()) {
      throw new QkvError('INVALID_FILE', `is ${found.isDirectory() ? 'a directory' : 'not a file'}: ${url}`, name);
    }
    return { chunks: fileChunks(files, url, name), size: found.size, exact: true };
  } catch (error) {
    if (error instanceof QkvError) throw error;
    const isAbsent = /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT';
    if (isAbsent && isOptional) return null;
    const message = isAbsent ? `there is no ${name} at ${url}` : unread(name, url, error);
    throw new QkvError('MISSING_FILE', message, name, { cause: error });
  }
}

/** @param {string} name @param {string} url @param {unknown} error */
const unread = (name, url, error) => `${name} could not be read from ${url} (${reason(error)})`;

/**
 * @param {FileSystem} files
 * @param {string} url
 * @param {string} name
 */
async function* fileChunks(files, url, name) {
  const failed = (/** @type {unknown} */ cause) => {
    throw new QkvError('MISSING_FILE', unread(name, url, cause), name, { cause });
  };
  const file = await files.open(new URL(url)).catch(failed);
  try {
    const buffer = new Uint8Array(kChunk);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, kChunk).catch(failed);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/**
 * @param {Blob | ArrayBuffer | ArrayBufferView} source
 * @param {string} name
 * @returns {Opened}
 */
function fromMemory(source, name) {
  if (source instanceof Blob) return { chunks: blobChunks(source, name), size: source.size, exact: true };
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  return { chunks: pieces(bytes), size: bytes.length, exact: true };
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
export async function* blobChunks(blob, name) {
  for (let begin = 0; begin < blob.size; begin += kChunk) yield readBlob(blob, begin, begin + kChunk, name);
}

/**
 * A part of a Blob, which may be a file that a person chose.
 * @param {Blob} blob
 * @param {number} begin
 * @param {number} end
 * @param {string} name
 * @returns {Promise<Uint8Array<ArrayBuffer>>} rejects with MISSING_FILE if the file has changed since it was chosen
 */
export async function readBlob(blob, begin, end, name) {
  try {
    return new Uint8Array(await blob.slice(begin, end).arrayBuffer());
  } catch (cause) {
    const message = `could not be read; was it changed, or removed, since it was chosen? (${reason(cause)})`;
    throw new QkvError('MISSING_FILE', message, name, { cause });
  }
}

/** @param {Uint8Array} bytes */
async function* pieces(bytes) {
  for (let begin = 0; begin < bytes.length; begin += kChunk) yield bytes.subarray(begin, begin + kChunk);
}

/**
 * The bytes of a data: URL, which bundlers make of small files. `fetch` would need a Content-Security-Policy that
 * allows it.
 * @param {string} url
 */
function dataBytes(url) {
  const comma = url.indexOf(',');
  const body = decodeURIComponent(url.slice(comma + 1));
  if (!url.slice(0, comma).endsWith(';base64')) return new TextEncoder().encode(body);
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
}

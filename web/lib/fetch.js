// Bytes from wherever a model or the engine lies: http, a file in Node, a data: URL, a Blob, memory.
import { QkvError } from './errors.js';
import { fileSystem } from './runtime.js';

/** @typedef {import('./runtime.js').FileSystem} FileSystem */

/**
 * A file, opened: its bytes as they come, and their number where it is known.
 * @typedef {object} Opened
 * @property {AsyncIterable<Uint8Array>} chunks each is good until the next is asked for: they may share one buffer
 * @property {number} size for progress; 0 where it is not known
 * @property {boolean} exact whether `size` can be relied on
 * @property {boolean} [isChecked] whether damage shows at its end, to which it is then read
 */

/** @typedef {string | Blob | ArrayBuffer | ArrayBufferView} Source a string is an absolute URL */

const kChunk = 1 << 20;
/** More than any file that is read whole: those of a tokenizer, a WebAssembly module. */
const kLargestWhole = 64 << 20;

/**
 * Opens a source. Null where it does not exist.
 * @param {Source} source
 * @param {string} name for errors
 * @param {AbortSignal} [signal]
 * @returns {Promise<Opened | null>} rejects with a QkvError, code NETWORK, or with `signal.reason`
 */
export async function open(source, name, signal) {
  if (typeof source !== 'string') return fromMemory(source);
  if (source.startsWith('data:')) return fromMemory(dataBytes(source));
  const files = source.startsWith('file:') && fileSystem();
  return files ? openFile(files, source, name) : download(source, name, signal);
}

/**
 * Everything in a source. Null where it does not exist.
 * @param {Source} source
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array<ArrayBuffer> | null>} rejects as `open` does, and with LIMIT_EXCEEDED past 64 MiB
 */
export async function readAll(source, name, signal) {
  const opened = await open(source, name, signal);
  return opened && collect(opened, name);
}

/**
 * @param {Opened} opened
 * @param {string} name
 * @returns {Promise<Uint8Array<ArrayBuffer>>} rejects as `readAll` does
 */
export async function collect(opened, name) {
  const chunks = [];
  let size = 0;
  for await (const chunk of opened.chunks) {
    chunks.push(chunk.slice());
    if ((size += chunk.length) > kLargestWhole) throw new QkvError('LIMIT_EXCEEDED', 'is over 64 MiB', name);
  }
  return concatenate(chunks);
}

/** @param {Uint8Array[]} chunks */
function concatenate(chunks) {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * @param {string} url
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>} rejects with NETWORK when there is no answer; the status is the caller's to look at
 */
export async function request(url, name, signal) {
  try {
    return await fetch(url, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new QkvError('NETWORK', `${name} could not be fetched from ${url} (${reason(error)})`, name, {
      cause: error,
    });
  }
}

/**
 * @param {string} url
 * @param {number} status
 * @param {string} name
 * @param {string} [advice]
 */
export const badStatus = (url, status, name, advice = '') =>
  new QkvError('NETWORK', `${name} could not be fetched: ${url} answered with status ${status}${advice}`, name);

/**
 * @param {string} url
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<Opened | null>}
 */
async function download(url, name, signal) {
  const response = await request(url, name, signal);
  if (response.status === 404 || response.status === 410) return null;
  if (!response.ok) throw badStatus(url, response.status, name);
  return { chunks: bodyChunks(response, name, signal), ...sizeOf(response) };
}

/**
 * Content-Length counts compressed bytes, and across origins a page cannot see whether there was compression.
 * @param {Response} response
 */
function sizeOf({ headers, type }) {
  const size = headers.get('content-encoding') ? 0 : Number(headers.get('content-length')) || 0;
  return { size, exact: size > 0 && type !== 'cors' };
}

/**
 * @param {Response} response
 * @param {string} name
 * @param {AbortSignal} [signal]
 */
async function* bodyChunks(response, name, signal) {
  if (!response.body) return;
  const { reader, read } = readerOf(response.body);
  try {
    for (;;) {
      const { done, value } = await read();
      if (done || !value) return;
      yield value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new QkvError('NETWORK', `the connection broke while ${name} was coming (${reason(error)})`, name, {
      cause: error,
    });
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Reads into one buffer again and again where the platform can: a model's size in small chunks is a lot of garbage.
 * @param {ReadableStream<Uint8Array>} body
 */
function readerOf(body) {
  let buffer = new ArrayBuffer(kChunk);
  try {
    const reader = body.getReader({ mode: 'byob' });
    const read = async () => {
      const result = await reader.read(new Uint8Array(buffer));
      if (result.value) buffer = /** @type {ArrayBuffer} */ (result.value.buffer);
      return result;
    };
    return { reader, read };
  } catch {
    const reader = body.getReader();
    return { reader, read: () => reader.read() };
  }
}

/**
 * @param {FileSystem} files
 * @param {string} url
 * @param {string} name
 * @returns {Promise<Opened | null>}
 */
async function openFile(files, url, name) {
  try {
    const { size } = await files.stat(new URL(url));
    return { chunks: fileChunks(files, url), size, exact: true };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw new QkvError('MISSING_FILE', `${name} could not be read from ${url} (${reason(error)})`, name, {
      cause: error,
    });
  }
}

/**
 * @param {FileSystem} files
 * @param {string} url
 */
async function* fileChunks(files, url) {
  const file = await files.open(new URL(url));
  try {
    const buffer = new Uint8Array(kChunk);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, kChunk);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/**
 * @param {Blob | ArrayBuffer | ArrayBufferView} source
 * @returns {Opened}
 */
function fromMemory(source) {
  if (source instanceof Blob) return { chunks: blobChunks(source), size: source.size, exact: true };
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  return { chunks: pieces(bytes), size: bytes.length, exact: true };
}

/** @param {Blob} blob */
async function* blobChunks(blob) {
  for (let begin = 0; begin < blob.size; begin += kChunk) {
    yield new Uint8Array(await blob.slice(begin, begin + kChunk).arrayBuffer());
  }
}

/** @param {Uint8Array} bytes */
async function* pieces(bytes) {
  for (let begin = 0; begin < bytes.length; begin += kChunk) yield bytes.subarray(begin, begin + kChunk);
}

/**
 * The bytes in a data: URL, which bundlers make of small files; `fetch` would need a Content-Security-Policy for it.
 * @param {string} url
 */
function dataBytes(url) {
  const comma = url.indexOf(',');
  const body = decodeURIComponent(url.slice(comma + 1));
  if (!url.slice(0, comma).endsWith(';base64')) return new TextEncoder().encode(body);
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
}

/** @param {unknown} error */
const reason = (error) => {
  const { cause, message } = /** @type {{cause?: {message?: string}, message?: string}} */ (error);
  return cause?.message || message || String(error);
};

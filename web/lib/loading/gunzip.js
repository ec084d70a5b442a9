// Unpacks gzip. The file's name does not matter, because a server may already have unpacked the file.
import { QkvError } from '../base/errors.js';

/** @typedef {import('./fetch.js').Opened} Opened */

// More than any model that fits into WebAssembly's memory: a limit for files that unpack endlessly.
const kLargest = 2 ** 31;
// The usual compression of models, for progress only.
const kUsualRatio = 1.3;

/**
 * A file, unpacked if gzip compressed it.
 * @param {Opened} opened
 * @param {string} name for errors
 * @param {AbortSignal} [signal]
 * @returns {Promise<Opened>} rejects with UNSUPPORTED if the runtime cannot unpack gzip. Its chunks throw INVALID_FILE if
 *   the data is damaged
 */
export async function unpacked(opened, name, signal) {
  const chunks = opened.chunks[Symbol.asyncIterator]();
  const first = await chunks.next();
  const all = startingWith(first, chunks);
  if (first.done || first.value[0] !== 0x1f || first.value[1] !== 0x8b) return { ...opened, chunks: all };
  if (typeof DecompressionStream !== 'function') {
    throw new QkvError('UNSUPPORTED', 'gzip cannot be unpacked here: unpack the file first', name);
  }
  const stream = streamOf(all).pipeThrough(new DecompressionStream('gzip'));
  return { chunks: chunksOf(stream, all, name, signal), size: Math.round(opened.size * kUsualRatio), exact: false };
}

/**
 * @param {IteratorResult<Uint8Array>} first the chunk that has been read
 * @param {AsyncIterator<Uint8Array>} chunks the rest
 */
async function* startingWith(first, chunks) {
  try {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

/**
 * @param {AsyncGenerator<Uint8Array>} chunks they may share one buffer
 * @returns {ReadableStream<Uint8Array<ArrayBuffer>>}
 */
function streamOf(chunks) {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value.slice());
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

/**
 * @param {ReadableStream<Uint8Array>} stream
 * @param {AsyncGenerator<Uint8Array>} packed the compressed bytes
 * @param {string} name
 * @param {AbortSignal} [signal]
 */
async function* chunksOf(stream, packed, name, signal) {
  const reader = stream.getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if ((size += value.length) > kLargest) throw new QkvError('LIMIT_EXCEEDED', 'unpacks to more than 2 GiB', name);
      yield value;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof QkvError) throw cause;
    throw new QkvError('INVALID_FILE', 'the gzip data is damaged: fetch the file again', name, { cause });
  } finally {
    // The stream itself is not cancelled. Node throws an error that nobody can catch if a stream is cancelled while it
    // unpacks.
    packed.return(undefined).catch(() => {});
  }
}

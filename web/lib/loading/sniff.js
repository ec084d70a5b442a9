// Detects a wrong file: servers and version control sometimes send something else under the same name.
import { QkvError } from '../base/errors.js';

const kPage = /^\s*<(!doctype|html|head|body|\?xml)/i;
const kPointer = /^version https:\/\/git-lfs/;

const kPageMessage = 'is an HTML page, not the file: the server has no such file, or it asks for a login';
const kPointerMessage = 'is a pointer of Git LFS, not the file: fetch the file itself, for example by `git lfs pull`';

/** @param {Uint8Array} bytes the first bytes of the file */
const beginning = (bytes) => String.fromCharCode(...bytes.subarray(0, 64)).replace(/^\xef\xbb\xbf/, '');

/**
 * Returns a file's chunks, unless it is a page of HTML or a pointer of Git LFS.
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {string} name
 * @param {string} from
 * @returns {AsyncGenerator<Uint8Array>} throws a QkvError, code INVALID_FILE
 */
export async function* genuine(chunks, name, from) {
  let isFirst = true;
  for await (const chunk of chunks) {
    const begin = isFirst ? beginning(chunk) : '';
    const message = kPage.test(begin) ? kPageMessage : kPointer.test(begin) ? kPointerMessage : null;
    if (message) throw new QkvError('INVALID_FILE', message + (from && ` (${from})`), name);
    isFirst = false;
    yield chunk;
  }
}

/**
 * Whether the chunks are a page of HTML; and all chunks, from the beginning.
 * @param {AsyncIterable<Uint8Array>} all
 * @returns {Promise<{isPage: boolean, chunks: AsyncGenerator<Uint8Array>}>}
 */
export async function lookForPage(all) {
  const iterator = all[Symbol.asyncIterator]();
  const { value: first, done } = await iterator.next();
  return { isPage: !done && kPage.test(beginning(first)), chunks: after(done ? null : first, iterator) };
}

/**
 * @param {Uint8Array | null} first
 * @param {AsyncIterator<Uint8Array>} iterator
 */
async function* after(first, iterator) {
  try {
    if (first) yield first;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

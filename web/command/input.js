// The bytes of standard input or of a file, unpacked where gzip compressed them.
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { ReadStream, isatty } from 'node:tty';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

const kChunk = 1 << 18;

/**
 * Node reads a file in a thread that the end of the process waits for, so what may never come is read as a socket is.
 * @param {number} file
 * @returns {AsyncIterable<Buffer>}
 */
function streamOf(file) {
  if (isatty(file)) return new ReadStream(file);
  const status = fstatSync(file);
  if (status.isFIFO() || status.isSocket()) return new Socket({ fd: file, readable: true, writable: false });
  return createReadStream('', { fd: file, highWaterMark: kChunk });
}

/** @param {AsyncIterable<Buffer>} stream @param {(count: number) => void} onRead */
async function* counted(stream, onRead) {
  for await (const chunk of stream) {
    onRead(chunk.length);
    yield chunk;
  }
}

/** @param {AsyncIterable<Buffer>} stream @returns {AsyncGenerator<Buffer>} */
async function* unpacked(stream) {
  const chunks = stream[Symbol.asyncIterator]();
  // The two bytes that a file of gzip begins with.
  let head = Buffer.alloc(0);
  for (let next; head.length < 2 && !(next = await chunks.next()).done;) head = Buffer.concat([head, next.value]);
  async function* all() {
    if (head.length > 0) yield head;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* all();
  // Its errors come out of the last stream.
  yield* pipeline(all, createGunzip({ chunkSize: kChunk }), () => {});
}

/**
 * Chunks of the input, none of them empty, each with how much of the input has been read by then: from 0 to 1, 0 if its size is not known.
 * @param {string} path empty: standard input, which is not unpacked
 * @returns {AsyncGenerator<{bytes: Uint8Array<ArrayBuffer>, share: number}>}
 */
export async function* readInput(path) {
  // The opening of a pipe must not wait for a writer.
  const file = path === '' ? 0 : openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const status = fstatSync(file);
  const size = status.isFile() ? status.size : 0;
  let read = 0;
  const stream = counted(streamOf(file), (count) => (read += count));
  for await (const chunk of path === '' ? stream : unpacked(stream)) {
    // A chunk may be a part of a block of memory that others have a part of.
    if (chunk.length > 0) yield { bytes: new Uint8Array(chunk), share: size > 0 ? Math.min(1, read / size) : 0 };
  }
}

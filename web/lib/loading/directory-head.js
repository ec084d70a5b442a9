// The beginning of a file of safetensors: eight bytes with the length of a directory, then the directory, JSON
// (huggingface.co/docs/safetensors). It gives the length of the file even if the server does not.
import { concatenate } from './fetch.js';

/** The longest directory that the format allows, and the shortest JSON object. */
const kLongest = 100_000_000;
const kShortest = 2;
const kLength = 8;

/** Collects the directory of a file that arrives in chunks. */
export class DirectoryHead {
  /** @type {Uint8Array[]} */
  #chunks = [];
  #have = 0;
  /** Bytes until the directory's end; 0: not known yet; NaN: another format. */
  end = 0;

  /**
   * @param {Uint8Array} chunk the next chunk of the file
   * @returns {Uint8Array | null} the directory, once, when it is complete
   */
  add(chunk) {
    if (Number.isNaN(this.end)) return null;
    this.#chunks.push(chunk.slice());
    this.#have += chunk.length;
    if (this.end === 0 && this.#have >= kLength) this.end = this.#readEnd();
    if (this.end === 0 || !(this.#have >= this.end)) return null;
    const bytes = concatenate(this.#chunks).subarray(kLength, this.end);
    this.#chunks = [];
    return bytes;
  }

  #readEnd() {
    const size = Number(new DataView(concatenate(this.#chunks).buffer).getBigUint64(0, true));
    return size >= kShortest && size <= kLongest ? kLength + size : NaN;
  }
}

/** Finds the length of a file from its directory. */
export class SizeFinder {
  #head = new DirectoryHead();
  /** Bytes of the whole file; 0 if not known, or not yet. */
  size = 0;
  #isDone = false;

  /** @param {Uint8Array} chunk the file's next */
  add(chunk) {
    if (this.#isDone) return;
    const directory = this.#head.add(chunk);
    this.#isDone = directory !== null || Number.isNaN(this.#head.end);
    if (!directory) return;
    const ends = new TextDecoder().decode(directory).matchAll(/"data_offsets"\s*:\s*\[\s*\d+\s*,\s*(\d+)/g);
    this.size = this.#head.end + Math.max(0, ...Array.from(ends, ([, end]) => Number(end)));
  }
}

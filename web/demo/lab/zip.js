// Makes a zip of uncompressed files (PKWARE's APPNOTE.TXT, method 0).

import { addToCrc } from '../../lib/loading/crc.js';

/** Little-endian integers. @param {...[number, 2 | 4]} words value and number of bytes */
function packed(...words) {
  const view = new DataView(new ArrayBuffer(words.reduce((sum, [, bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [value, bytes] of words) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

/** @param {Record<string, Uint8Array<ArrayBuffer>>} files by their names in ASCII @returns {Blob} */
export function zipOf(files) {
  // Each file with its header, and its entry in the directory.
  const parts = [];
  const directory = [];
  let at = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const path = new TextEncoder().encode(name);
    const crc = ~addToCrc(bytes, -1) >>> 0;
    /** @type {[number, 2 | 4][]} */
    const common = [
      .../** @type {[number, 2 | 4][]} */ ([
        [20, 2],
        [0, 2],
        [0, 2],
        [0, 2],
        [0x21, 2],
      ]), // stored; 1 January 1980
      .../** @type {[number, 2 | 4][]} */ ([
        [crc, 4],
        [bytes.length, 4],
        [bytes.length, 4],
        [path.length, 2],
        [0, 2],
      ]),
    ];
    const head = packed([0x04034b50, 4], ...common);
    directory.push(packed([0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), path);
    parts.push(head, path, bytes);
    at += head.length + path.length + bytes.length;
  }
  // The end of the directory.
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  const count = Object.keys(files).length;
  const end = packed([0x06054b50, 4], [0, 4], [count, 2], [count, 2], [length, 4], [at, 4], [0, 2]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

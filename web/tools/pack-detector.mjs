// Packs a language detector that `qkv train` has written into one file (web/lib/detect/weights.js):
//   node web/tools/pack-detector.mjs FOLDER web/models/detect/languages.bin
// For the file of the package it also writes the list of languages, web/lib/detect/languages.js.

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { finishHash, addToHash, kBasis, kBlocks } from '../lib/detect/letters.js';
import { at } from './common.mjs';

const [folder, out] = process.argv.slice(2);
const { columns, heads, languages } = JSON.parse(readFileSync(`${folder}/config.json`, 'utf8'));
const tensors = readSafetensors(readFileSync(`${folder}/model.safetensors`));
const order = readFileSync(`${folder}/ngrams.txt`, 'utf8')
  .split('\n')
  .slice(0, -1)
  .map((line, i) => ({ hash: hashOf(line), row: i + 1 }))
  .sort((a, b) => a.hash - b.hash);

const rows = [0, ...order.map(({ row }) => row)];
const embedding = tensors['embedding.weight'];
const sorted = rows.map((row) => embedding.subarray(row * columns, (row + 1) * columns));
const columnScales = Float32Array.from(
  { length: columns },
  (_, i) => Math.max(...sorted.map((row) => Math.abs(row[i]))) / 127,
);
const output = tensors['output.weight'];
const pooled = heads * columns;
const outputScales = Float32Array.from(
  languages,
  (_, i) => Math.max(...output.subarray(i * pooled, (i + 1) * pooled).map(Math.abs)) / 127,
);

const head = JSON.stringify({ columns, heads, rows: rows.length, languages });
const json = Buffer.from(head + ' '.repeat((4 - (Buffer.byteLength(head) % 4)) % 4));
const start = Buffer.alloc(8);
start.write('qkvL');
start.writeUInt32LE(json.length, 4);
const floats = [columnScales, tensors['queries.weight'], outputScales, tensors['output.bias']];
const bytes = [
  Int8Array.from(sorted.flatMap((row) => [...row].map((x, i) => Math.round(x / columnScales[i])))),
  Int8Array.from(output, (x, i) => Math.round(x / outputScales[Math.floor(i / pooled)])),
];
writeFileSync(
  out,
  Buffer.concat([
    start,
    json,
    ...floats.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
    ...bytes.map(({ buffer }) => Buffer.from(buffer)),
    Buffer.from(differences(order.map(({ hash }) => hash))),
  ]),
);
if (resolve(out) === at('web', 'models', 'detect', 'languages.bin')) writeList();

/** The hash of a line of ngrams.txt (core/detect/gram_list.h). @param {string} line */
function hashOf(line) {
  const block = /^U\+([\dA-F]+)$/.exec(line);
  if (!block)
    return finishHash(
      [...line].reduce((state, c) => addToHash(state, /** @type {number} */ (c.codePointAt(0))), kBasis),
    );
  const first = parseInt(block[1], 16);
  return finishHash(addToHash(kBasis, kBlocks + (first < 0x3000 ? first >> 7 : 0x1000 + (first >> 12))));
}

/** The differences between hashes: seven bits in each byte, the lowest first. @param {number[]} hashes ascending */
function differences(hashes) {
  const written = [];
  let last = 0;
  for (const hash of hashes) {
    let left = hash - last;
    for (; left > 0x7f; left >>= 7) written.push((left & 0x7f) | 0x80);
    written.push(left);
    last = hash;
  }
  return written;
}

/** The tensors of a file, F32 or F16. @param {Buffer} file @returns {Record<string, Float32Array>} */
function readSafetensors(file) {
  const begin = 8 + Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, begin));
  delete header.__metadata__;
  return Object.fromEntries(
    Object.entries(header).map(
      ([
        name,
        {
          dtype,
          data_offsets: [from, to],
        },
      ]) => {
        const data = file.subarray(begin + from, begin + to);
        const size = dtype === 'F16' ? 2 : 4;
        const read = (/** @type {unknown} */ _, /** @type {number} */ i) =>
          dtype === 'F16' ? half(data.readUInt16LE(2 * i)) : data.readFloatLE(4 * i);
        return [name, Float32Array.from({ length: data.length / size }, read)];
      },
    ),
  );
}

/** @param {number} bits of an IEEE half-precision number */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

function writeList() {
  const lines = languages.map((/** @type {string} */ tag) => `'${tag}'`).join(', ');
  const text =
    '// The languages that the detector knows, as its weights list them. web/tools/pack-detector.mjs writes this file.\n' +
    `export const languages = Object.freeze([${lines}]);\n`;
  writeFileSync(at('web', 'lib', 'detect', 'languages.js'), text);
}

// The size ledger: what a page downloads for all that the engine does, gzipped, the model aside; file by file, and what
// of the WebAssembly each room of the code takes.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ToolError, at, fail } from './common.mjs';

const kLimit = 185_000;

const gzipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
const print = (name, size) => console.log(`${String(Math.round(size)).padStart(8)}  ${name}`);

const files = readdirSync(at('dist'))
  .filter((name) => /\.(m?js|wasm)$/.test(name))
  .map((name) => ({ name, size: gzipped(at('dist', name)) }))
  .toSorted((a, b) => b.size - a.size);
const isThreads = ({ name }) => name.startsWith('qkv-threads');
const isWasm = ({ name }) => name.endsWith('.wasm');
const usual = files.filter((file) => !isThreads(file));
const larger = Math.max(...usual.filter(isWasm).map(({ size }) => size));
const total = usual.filter((file) => !isWasm(file)).reduce((sum, { size }) => sum + size, larger);

for (const { name, size } of files)
  print(isThreads({ name }) ? `${name}, only where threads are asked for` : name, size);
print(`the engine: all JavaScript and the larger wasm, of ${kLimit} bytes`, total);

const map = at('build', 'wasm', 'relaxed', 'qkv.map');
if (existsSync(map)) {
  console.log('\nOf the larger wasm, by the code that it was made from (its share of the bytes that were linked):');
  const rooms = Object.entries(shares(readFileSync(map, 'utf8'))).toSorted(([, a], [, b]) => b - a);
  for (const [room, share] of rooms) print(room, share * larger);
}

if (!(total <= kLimit)) fail(new ToolError('The engine is larger than its limit.'));

/** What share of the linked bytes came from each room, by wasm-ld's map. @param {string} text @returns {Record<string, number>} */
function shares(text) {
  const roomOf = new Map(
    readdirSync(at('core'), { recursive: true })
      .filter((name) => name.endsWith('.cc') && !name.startsWith('cli'))
      .map((name) => [`${basename(name)}.o`, `core/${name.split('/')[0]}`]),
  );
  /** @type {Record<string, number>} */
  const bytes = {};
  // Address, offset, size and then `object:(section)` or `archive(object):(section)`.
  for (const [, size, archive, object] of text.matchAll(
    /^\s+\S+\s+\S+\s+([\da-f]+)\s+(\S*?)\(?([^\s/(]+\.o)\)?:\(/gm,
  )) {
    const room = archive.includes('qkv_core')
      ? roomOf.get(object)
      : archive.includes('qkv_wasm')
        ? 'wasm: the bindings'
        : "Emscripten's and the standard library";
    bytes[room ?? 'other'] = (bytes[room ?? 'other'] ?? 0) + parseInt(size, 16);
  }
  const sum = Object.values(bytes).reduce((a, b) => a + b, 0);
  return Object.fromEntries(Object.entries(bytes).map(([room, size]) => [room, size / sum]));
}

// The size ledger: what a page downloads for each thing that it may do, gzipped, the model aside; file by file, and what of
// the WebAssembly each folder of the code takes.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { ToolError, at, fail } from './common.mjs';
import { downloadsOf, gzipped } from './downloads.mjs';

const kLimit = 215_000;
const kModelsLimit = 225_000;
const kTrainingLimit = 285_000;

const print = (/** @type {string} */ name, /** @type {number} */ size) =>
  console.log(`${String(Math.round(size)).padStart(8)}  ${name}`);
const weigh = (/** @type {string[]} */ files) => files.reduce((total, name) => total + gzipped(at('dist'), name), 0);

/**
 * Prints the files of some uses, then their sum beside its limit.
 * @param {string} title
 * @param {Parameters<typeof downloadsOf>[1]} uses
 * @param {number} limit bytes
 */
function ledger(title, uses, limit) {
  const files = downloadsOf(at('dist'), uses);
  for (const name of files.toSorted((a, b) => weigh([b]) - weigh([a]))) print(name, weigh([name]));
  const total = weigh(files);
  print(`${title}: all its JavaScript and the larger wasm, of ${limit} bytes\n`, total);
  if (!(total <= limit)) fail(new ToolError(`${title} is larger than its limit.`));
  return files;
}

const engine = ledger('a page that translates', ['translating'], kLimit);
ledger('a page that computes attention', ['attention'], kLimit);
ledger('a page with models that people bring', ['models'], kModelsLimit);
ledger('a page that trains', ['training'], kTrainingLimit);
const threads = readdirSync(at('dist', 'assets')).filter((name) => /^qkv-threads-.*\.(js|wasm)$/.test(name));
print('more, where a page asks for threads\n', weigh(threads.map((name) => `assets/${name}`)));

const map = at('build', 'wasm', 'relaxed', 'qkv.map');
if (existsSync(map)) {
  console.log('Of the larger wasm, by the code that it was made from (its share of the bytes that were linked):');
  const rooms = Object.entries(shares(readFileSync(map, 'utf8'))).toSorted(([, a], [, b]) => b - a);
  for (const [room, share] of rooms) print(room, share * weigh(engine.filter((name) => name.endsWith('.wasm'))));
}

/** What share of the linked bytes came from each room, by wasm-ld's map. @param {string} text @returns {Record<string, number>} */
function shares(text) {
  const roomOf = new Map(
    readdirSync(at('core'), { recursive: true })
      .map(String)
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
      : /qkv_(wasm|bindings)/.test(archive)
        ? 'wasm: the bindings'
        : "Emscripten's and the standard library";
    bytes[room ?? 'other'] = (bytes[room ?? 'other'] ?? 0) + parseInt(size, 16);
  }
  const sum = Object.values(bytes).reduce((a, b) => a + b, 0);
  return Object.fromEntries(Object.entries(bytes).map(([room, size]) => [room, size / sum]));
}

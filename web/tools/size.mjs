// The size ledger: what a page downloads for all that the engine does, gzipped, the model aside; file by file, and what
// of the WebAssembly each room of the code takes.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ToolError, at, fail } from './common.mjs';

const kLimit = 170_000;
const kModelsLimit = 185_000;
const kTrainingLimit = 250_000;

const gzipped = (name) => gzipSync(readFileSync(at('dist', name)), { level: 9 }).length;
const print = (name, size) => console.log(`${String(Math.round(size)).padStart(8)}  ${name}`);

const sizes = new Map(
  readdirSync(at('dist'))
    .filter((name) => /\.(m?js|wasm)$/.test(name))
    .map((name) => [name, gzipped(name)]),
);
const wasm = (kind) => [...sizes.keys()].filter((name) => name.startsWith(`qkv-${kind}-`) && name.endsWith('.wasm'));
const larger = (prefix) => Math.max(sum(wasm(`${prefix}baseline`)), sum(wasm(`${prefix}relaxed`)));
const only = {
  threads: 'only where threads are asked for',
  train: 'only where something is trained',
  models: 'only for models that people bring',
};
for (const [name, size] of [...sizes].toSorted(([, a], [, b]) => b - a)) {
  const kind = Object.keys(only).find((one) => name.startsWith(`qkv-${one}-`) || name.startsWith(one));
  print(kind ? `${name}, ${only[kind]}` : name, size);
}
const sum = (names) => [...names].reduce((total, name) => total + sizes.get(name), 0);
const total = sum(scriptsOf(['index.js', 'attention.js', 'worker.js'], 'models-engine')) + larger('');
const models = sum(scriptsOf(['models.js', 'models-worker.js'], 'handlers')) + larger('models-');
const training = sum(scriptsOf(['train.js', 'train-worker.js'])) + sum(wasm('train'));
print(`the engine: all its JavaScript and the larger wasm, of ${kLimit} bytes`, total);
print(`models that people bring: all its JavaScript and the larger wasm, of ${kModelsLimit} bytes`, models);
print(`training: all its JavaScript and its wasm, of ${kTrainingLimit} bytes`, training);

const map = at('build', 'wasm', 'relaxed', 'qkv.map');
if (existsSync(map)) {
  console.log('\nOf the larger wasm, by the code that it was made from (its share of the bytes that were linked):');
  const rooms = Object.entries(shares(readFileSync(map, 'utf8'))).toSorted(([, a], [, b]) => b - a);
  for (const [room, share] of rooms) print(room, share * larger(''));
}

if (!(total <= kLimit)) fail(new ToolError('The engine is larger than its limit.'));
if (!(models <= kModelsLimit)) fail(new ToolError('The engine for models that people bring is larger than its limit.'));
if (!(training <= kTrainingLimit)) fail(new ToolError('Training is larger than its limit.'));

/**
 * These scripts, and all that they import, but for the chunk with the other engine.
 * @param {string[]} entries
 * @param {string} [other]
 * @returns {Set<string>}
 */
function scriptsOf(entries, other = ' ') {
  const found = new Set(entries);
  for (const name of found) {
    const code = readFileSync(at('dist', name), 'utf8');
    for (const [, imported] of code.matchAll(/(?:from|import|import\()\s*["']\.\/([\w-]+\.js)["']/g))
      if (!imported.startsWith(other)) found.add(imported);
  }
  return found;
}

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
      : /qkv_(wasm|bindings)/.test(archive)
        ? 'wasm: the bindings'
        : "Emscripten's and the standard library";
    bytes[room ?? 'other'] = (bytes[room ?? 'other'] ?? 0) + parseInt(size, 16);
  }
  const sum = Object.values(bytes).reduce((a, b) => a + b, 0);
  return Object.fromEntries(Object.entries(bytes).map(([room, size]) => [room, size / sum]));
}

// Prints the size of a page's download for each use, without the model: each file gzipped, the sum also in Brotli, and the
// share of each folder of the code in the WebAssembly. It fails if a sum is over its limit.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { ToolError, at, fail } from './common.mjs';
import { brotlied, downloadsOf, gzipped, scriptsOfLab } from './downloads.mjs';

// The beam search can read logits in parts. This code takes 560 bytes. It is also in the limits of the models, of training and of
// the page. Only the native build has more than one part, which makes it a sixth faster with a beam of 4. WebAssembly has the same
// code, so that the results of both builds have the same bits.
const kLimit = 165_600;
const kAttentionLimit = 73_100; // 1,400 of it skip the keys between attention sinks and their window
// It contains interventions, `qkv/explain`, recurrent models and Marian's own files: interventions in Firefox's models run in
// this engine, and only it reads OPUS-MT's models. Prompt lookup takes 760 bytes, the code that starts threads 900.
const kModelsLimit = 271_700;
// It contains pointer networks, hard attention and all kinds of attention. The code that adds attention's gradients for four
// queries in one pass is twice as fast as for one query, and takes 1,300 bytes more.
const kTrainingLimit = 260_100;
const kPageLimit = 179_000;
const kInstallLimit = 3_072;
const kDetectLimit = 200_000;
const kPackageLimit = 2_250_000;
const kLabLimit = 120_000;

const print = (/** @type {string} */ name, /** @type {number} */ size) =>
  console.log(`${String(Math.round(size)).padStart(8)}  ${name}`);
const weigh = (/** @type {string[]} */ files) => files.reduce((total, name) => total + gzipped(at('dist'), name), 0);

/**
 * Prints the files of some uses, then their sum beside its limit.
 * @param {string} title
 * @param {Parameters<typeof downloadsOf>[1]} uses
 * @param {number} limit bytes
 */
function listFiles(title, uses, limit) {
  const files = downloadsOf(at('dist'), uses);
  for (const name of files.toSorted((a, b) => weigh([b]) - weigh([a]))) print(name, weigh([name]));
  const total = weigh(files);
  print(`${title}: all its JavaScript and the larger wasm, of ${limit} bytes`, total);
  const inBrotli = files.reduce((sum, name) => sum + brotlied(at('dist'), name), 0);
  print('the same where the server sends Brotli\n', inBrotli);
  if (!(total <= limit)) fail(new ToolError(`${title} is larger than its limit.`));
  return files;
}

const engine = listFiles('a page that translates', ['translating'], kLimit);
listFiles('a page that computes attention', ['attention'], kAttentionLimit);
listFiles('a page with models that people bring', ['models'], kModelsLimit);
listFiles('a page that trains', ['training'], kTrainingLimit);
listFiles('a page that is translated in place', ['page'], kPageLimit);
listFiles('a page that detects languages, with the model', ['detecting'], kDetectLimit);
listFiles('qkv/translator-api/install, before the first call', ['installing'], kInstallLimit);
const threads = readdirSync(at('dist', 'assets')).filter((name) => /^qkv-(models-)?threads-.*\.(js|wasm)$/.test(name));
for (const name of threads) print(`${name}, more where a page asks for threads`, weigh([`assets/${name}`]));

const [pack] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: at('dist'), encoding: 'utf8' }));
const detectors = pack.files.filter((/** @type {{path: string}} */ { path }) => path.endsWith('.bin'));
const models = weigh(detectors.map((/** @type {{path: string}} */ { path }) => path));
print(`the npm package without the detector's model, packed, of ${kPackageLimit} bytes\n`, pack.size - models);
if (!(pack.size - models <= kPackageLimit)) fail(new ToolError('the npm package is larger than its limit.'));

const site = at('build', 'site');
if (existsSync(`${site}/lab.js`)) {
  const lab = scriptsOfLab(site, 'lab.js').reduce((total, name) => total + gzipped(site, name), 0);
  print(`the page Lab: all its JavaScript, of ${kLabLimit} bytes\n`, lab);
  if (!(lab <= kLabLimit)) fail(new ToolError('the page Lab is larger than its limit.'));
}

const linked = at('build', 'wasm', 'relaxed');
if (existsSync(`${linked}/core.symbols`)) {
  console.log('Of the larger wasm, by the code that it was made from (its share of the bytes that were linked):');
  const read = (/** @type {string} */ name) => readFileSync(`${linked}/${name}`, 'utf8');
  const folders = Object.entries(shares(read('qkv.map'), foldersOf(read('core.symbols'))));
  const wasm = weigh(engine.filter((name) => name.endsWith('.wasm')));
  for (const [folder, share] of folders.toSorted(([, a], [, b]) => b - a)) print(folder, share * wasm);
}

/**
 * The folder of core that defines each symbol.
 * @param {string} symbols of the library, as nm prints them: `file.cc.o:`, then a line for each symbol
 * @returns {Map<string, string>}
 */
function foldersOf(symbols) {
  const sources = readdirSync(at('core'), { recursive: true }).map(String);
  const folderOf = new Map(sources.map((name) => [`${basename(name)}.o:`, `core/${name.split('/')[0]}`]));
  const folders = new Map();
  let folder = '';
  for (const line of symbols.split('\n')) {
    folder = folderOf.get(line) ?? folder;
    const defined = /^\S+\s+[A-TV-Za-tv-z]\s+(\S+)$/.exec(line);
    if (defined && !folders.has(defined[1])) folders.set(defined[1], folder);
  }
  return folders;
}

/**
 * The share of each folder in the linked bytes.
 * @param {string} map as the linker writes it: address, offset, size, then `file:(symbol)`
 * @param {Map<string, string>} folders
 * @returns {Record<string, number>}
 */
function shares(map, folders) {
  /** @type {Record<string, number>} */
  const bytes = {};
  for (const [, size, file, symbol] of map.matchAll(/^\s+\S+\s+\S+\s+([\da-f]+)\s+(\S*):\((\S+)\)$/gm)) {
    const bindings = file.startsWith('lto') ? 'wasm: the bindings, and what is inline' : 'the standard library, Embind';
    const folder = folders.get(symbol.replace(/^\.\w+\./, '')) ?? bindings;
    bytes[folder] = (bytes[folder] ?? 0) + parseInt(size, 16);
  }
  const sum = Object.values(bytes).reduce((a, b) => a + b, 0);
  return Object.fromEntries(Object.entries(bytes).map(([folder, size]) => [folder, size / sum]));
}

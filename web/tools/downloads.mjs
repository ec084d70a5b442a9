// Lists the files of the package that a page downloads for each use.

import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** @param {string} folder of the package @param {string} file @returns {number} bytes, gzipped */
export const gzipped = (folder, file) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;

/** @param {string} folder of the package @param {string} file @returns {number} bytes in Brotli at its highest quality, Node's default */
export const brotlied = (folder, file) => brotliCompressSync(readFileSync(join(folder, file))).length;

/**
 * For each use: the entry point that a page imports, the worker, and the prefix of its WebAssembly builds. `inPage`: the
 * engine runs in the page, so the modules that the entry point imports later also count.
 */
const kUses = /** @type {const} */ ({
  translating: { entry: 'index.js', worker: 'worker.js', wasm: '', inPage: false },
  attention: { entry: 'attention.js', worker: '', wasm: 'attention-', inPage: true },
  models: { entry: 'models.js', worker: 'models-worker.js', wasm: 'models-', inPage: false },
  training: { entry: 'train.js', worker: 'train-worker.js', wasm: 'train-', inPage: false },
  page: { entry: 'page.js', worker: 'worker.js', wasm: '', inPage: false },
  detecting: { entry: 'detect.js', worker: '', wasm: '', inPage: false },
  installing: { entry: 'translator-api/install.js', worker: '', wasm: '', inPage: false },
});

/**
 * The files that a page downloads for several uses. If an engine has two builds, the larger one counts.
 * @param {string} folder of the package
 * @param {(keyof typeof kUses)[]} uses
 * @returns {string[]} paths in the folder
 */
export function downloadsOf(folder, uses) {
  const files = uses.flatMap((use) => {
    const { entry, worker, wasm, inPage } = kUses[use];
    const scripts = [...graphOf(folder, entry, inPage), ...(worker ? [`assets/${worker}`] : [])];
    if (use === 'detecting') scripts.push(weightsOfDetector(folder));
    return [...scripts, ...(worker || wasm ? [largerWasm(folder, wasm)] : [])];
  });
  return [...new Set(files)];
}

/**
 * The scripts of a page that trains: its imports, and the worker.
 * @param {string} site the folder of the pages @param {string} script @returns {string[]} paths in the folder
 */
export const scriptsOfLab = (site, script) => [...graphOf(site, script, false), `assets/${kUses.training.worker}`];

/**
 * A script and its imports. With `whole` also its dynamic imports.
 * @param {string} folder
 * @param {string} entry
 * @param {boolean} whole
 */
function graphOf(folder, entry, whole) {
  const found = new Set([entry]);
  const imports = whole
    ? /(?:from|import|import\()\s*["'](\.\.?\/[\w-]+\.js)["']/g
    : /(?:from|import)\s*["'](\.\.?\/[\w-]+\.js)["']/g;
  for (const name of found) {
    const code = readFileSync(join(folder, name), 'utf8');
    for (const [, imported] of code.matchAll(imports)) found.add(posix.join(posix.dirname(name), imported));
  }
  return found;
}

/** @param {string} folder @returns {string} */
function weightsOfDetector(folder) {
  const name = readdirSync(join(folder, 'assets')).find((file) => /^qkv-detect-.*\.bin$/.test(file));
  return `assets/${name}`;
}

/** @param {string} folder @param {string} prefix @returns {string} */
function largerWasm(folder, prefix) {
  const kinds = prefix === 'train-' ? ['train-'] : ['baseline-', 'relaxed-'].map((build) => prefix + build);
  const files = readdirSync(join(folder, 'assets'))
    .filter((name) => name.endsWith('.wasm') && kinds.some((kind) => name.startsWith(`qkv-${kind}`)))
    .map((name) => `assets/${name}`);
  return files.toSorted((a, b) => gzipped(folder, b) - gzipped(folder, a))[0];
}

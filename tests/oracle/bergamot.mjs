// Translates lines with bergamot's own WebAssembly: Marian itself as the oracle of Marian's files.
//
// usage: node bergamot.mjs MODEL.bin LEX.bin LINES VOCAB.spm [TARGET_VOCAB.spm]
//
// It needs the npm package @browsermt/bergamot-translator, pinned in tests/bench/package.json.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const [model, shortlist, lines, ...vocabularies] = process.argv.slice(2);
const package_ = new URL('../bench/node_modules/@browsermt/bergamot-translator/worker', import.meta.url);

/** The package's worker as Node loads it: its scripts are CommonJS, but the package does not declare it. */
const folder = mkdtempSync(join(tmpdir(), 'bergamot-'));
cpSync(process.env.BERGAMOT ?? fileURLToPath(package_), folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), '{"type": "commonjs"}');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const thread = new Worker(pathToFileURL(join(folder, 'translator-worker.js')));
const waiting = new Map();
thread.on('message', ({ id, result, error }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) resolve(result);
  else reject(new Error(error.message));
});
let calls = 0;
const call = (name, ...args) =>
  new Promise((resolve, reject) => {
    waiting.set(++calls, { resolve, reject });
    thread.postMessage({ id: calls, name, args });
  });
const bytes = (file) => new Uint8Array(readFileSync(file)).buffer;

await call('initialize', { cacheSize: 0 });
const pair = { from: 'xx', to: 'yy' };
const files = { model: bytes(model), shortlist: bytes(shortlist), vocabs: vocabularies.map(bytes) };
// Each line is one sentence, as for `qkv translate`. Without multipliers of activations int8 cannot be computed.
const config = { 'ssplit-mode': 'sentence' };
if (!readFileSync(model).includes('_QuantMultA')) config['gemm-precision'] = 'float32';
await call('loadTranslationModel', pair, { ...files, qualityModel: null, config });
for (const text of readFileSync(lines, 'utf8').trimEnd().split('\n')) {
  const texts = [{ text, html: false, qualityScores: false }];
  const [{ target }] = await call('translate', { models: [pair], texts });
  console.log(target.text);
}
process.exit(0);

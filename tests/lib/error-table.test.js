// Each cause in the first table of web/docs/errors.md is provoked: the message, the class and the code are compared.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Translator, models } from '../../web/lib/index.js';
import { load } from '../../web/lib/models/index.js';
import { wasmUrls } from '../../web/lib/engine/assets.js';
import { errorTable, rowOf } from '../error-table.js';
import { capped } from './capped.js';
import { create, rejection, serveFolder, tinyFolder } from './support.js';

/** Loads the small model from a server that answers differently for one file. */
async function from(name, answer) {
  const server = await serveFolder(tinyFolder, (asked, response) => asked === name && !!answer(response));
  try {
    return await create({ model: server.url });
  } finally {
    await server.close();
  }
}
const body = (text) => (response) => response.writeHead(200).end(text);
const status = (number) => (response) => response.writeHead(number).end();
const breakOff = (response) => {
  response.writeHead(200, { 'content-length': 1000 });
  return response.write('{', () => setTimeout(() => response.destroy(), 20));
};
const kSentences = 'We went home. '.repeat(60);
const engine = new Uint8Array(readFileSync(new URL(wasmUrls().baseline)));
const half = () => readFileSync(join(tinyFolder, 'model.safetensors')).subarray(0, 20_000);

/** A call of a translator, which is destroyed afterwards. */
async function using(call, isDestroyed = false, options = { model: tinyFolder }) {
  const translator = await create(options);
  if (isDestroyed) translator.destroy();
  try {
    return await call(translator);
  } finally {
    translator.destroy();
  }
}

const kPair = { sourceLanguage: 'en', targetLanguage: 'fr' };

/** Serves the small model, perhaps with a manifest, while `use` runs. */
async function served(use, manifest = status(404)) {
  const server = await serveFolder(tinyFolder, (asked, response) => asked === 'manifest.json' && !!manifest(response));
  try {
    return await use(server.url);
  } finally {
    await server.close();
  }
}

/** A store whose quota is used up. */
const fullStore = {
  match: async () => undefined,
  put: () => Promise.reject(new DOMException('no room', 'QuotaExceededError')),
  delete: async () => false,
  keys: async () => [],
};

/** A list of one model of one file. */
const listOf = (path, sums) => ({
  models: { all: [{ sourceLanguage: 'en', targetLanguage: 'fr', files: { model: { path, ...sums } } }] },
});

const kCauses = {
  'there is no': () => from('vocab.json', status(404)),
  'answered with status': () => from('vocab.json', status(403)),
  'could not be fetched from': () => create({ model: 'http://127.0.0.1:1/model/' }),
  'the connection broke': () => from('vocab.json', breakOff),
  'is an HTML page, not the file': () => from('vocab.json', body('<!doctype html>')),
  'is a pointer of Git LFS': () => from('vocab.json', body('version https://git-lfs.github.com/spec/v1\n')),
  'is a directory': () => create({ wasm: new URL('.', import.meta.url) }),
  'ends after': () => from('model.safetensors', body(half())),
  'the model has no file': () => load({ files: {} }),
  'it does not begin like a zip': () => create({ model: new Uint8Array(9) }),
  'is not the file that its manifest lists': () => {
    const names = ['config.json', 'vocab.json', 'source.spm', 'model.safetensors'];
    const files = Object.fromEntries(names.map((name) => [name, { sha256: '0'.repeat(64) }]));
    return served((url) => create({ model: `${url}manifest.json` }), body(JSON.stringify({ files })));
  },
  'could not be kept': () => served((url) => models.preload({ ...kPair, model: url, store: fullStore })),
  'nothing can be kept here': () => models.preload({ ...kPair, model: tinyFolder }),
  'is not the file that the registry lists': () =>
    create({ registry: listOf('data:,another', { hash: '0'.repeat(64) }) }),
  'cannot compile the engine that it was given': () => create({ wasm: new ArrayBuffer(8) }),
  'no relaxed SIMD that computes correctly': () => create({ wasm: 'relaxed' }),
  'has no such option': () => create({ dtype: 'q8' }),
  'expected a language tag': () => Translator.create(),
  'no model for': () => create({ targetLanguage: 'ja' }),
  'the registry has no model for': () => create({ registry: { models: {} } }),
  "more than the engine's memory has": () =>
    using((translator) => translator.trace(kSentences), false, { wasm: capped(engine, 26) }),
  'fit in one call': () => using((translator) => translator.translate('a'.repeat(1_000_001))),
  'has been destroyed': () => using((translator) => translator.translate('a'), true),
};
// Only Node 20 lacks what the row is about.
const isHere = (says) => !says.includes('relaxed') || process.versions.node.startsWith('20.');

test('every row of the table has a test', () => {
  expect([...errorTable('Causes').keys()]).toEqual(Object.keys(kCauses));
});

test.each([...errorTable('Causes')].filter(([says]) => isHere(says)))('%s', async (says, row) => {
  const error = await rejection(kCauses[says]());
  expect(error.message).toContain(says);
  expect(rowOf(error)).toEqual(row);
});

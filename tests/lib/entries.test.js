// Every call of the package reads each argument once, before it waits for anything. The arguments are watched while
// they are read, and overwritten as soon as the call has returned.

import { readFileSync, readdirSync } from 'node:fs';
import * as parser from 'htmlparser2';
import { attentionWasmUrls } from '../../web/lib/attention/assets.js';
import { attention, loadAttention, multiHeadAttention, positions } from '../../web/lib/attention/index.js';
import { wasmUrls } from '../../web/lib/engine/assets.js';
import { Translator, registry } from '../../web/lib/index.js';
import { Encoder, Generator, inspect, load } from '../../web/lib/models/index.js';
import { Trainer } from '../../web/lib/train/index.js';
import { at, tinyFolder } from './support.js';

const isRecord = (value) =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/**
 * Plain data whose reads are recorded. Methods may be read any number of times, and iterating a list reads its length
 * each time.
 * @param {any} value @param {{found: string[], isOver: boolean}} faults @param {string} name
 */
function watched(value, faults, name) {
  if (!Array.isArray(value) && !isRecord(value)) return value;
  const read = new Set();
  let isIterated = false;
  return new Proxy(value, {
    get(target, field) {
      const own = target[field];
      isIterated ||= field === Symbol.iterator;
      if (typeof field === 'symbol' || typeof own === 'function') return own;
      const path = `${name}.${field}`;
      if (faults.isOver) faults.found.push(`${path} is read after the call`);
      if (read.has(field) && !(isIterated && field === 'length')) faults.found.push(`${path} is read twice`);
      read.add(field);
      return watched(own, faults, path);
    },
  });
}

/** Overwrites all bytes, and removes those that can be removed. @param {any} value */
function spoil(value) {
  if (ArrayBuffer.isView(value)) {
    new Uint8Array(value.buffer).fill(0);
    if (value.buffer.resizable) value.buffer.resize(0);
  } else if (value instanceof ArrayBuffer) new Uint8Array(value).fill(0);
  else if (isRecord(value)) Object.values(value).forEach(spoil);
  else if (Array.isArray(value)) value.forEach(spoil);
}

/** Bytes of a resizable buffer. @param {Uint8Array} bytes */
function shrinking(bytes) {
  const own = new Uint8Array(new ArrayBuffer(bytes.length, { maxByteLength: bytes.length }));
  own.set(bytes);
  return own;
}
const filesOf = (folder) => {
  const names = readdirSync(folder).filter((name) => /\.(json|spm|safetensors)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, shrinking(readFileSync(`${folder}/${name}`))]));
};
/** The same model with an index over its weight files. */
function sharded({ 'model.safetensors': weights, ...files }) {
  const header = weights.subarray(8, 8 + new DataView(weights.buffer).getUint32(0, true));
  const names = Object.keys(JSON.parse(new TextDecoder().decode(header.slice())));
  const index = { weight_map: Object.fromEntries(names.map((name) => [name, 'part.safetensors'])) };
  const text = new TextEncoder().encode(JSON.stringify(index));
  return { ...files, 'model.safetensors.index.json': shrinking(text), 'part.safetensors': weights };
}
const rows = (...numbers) => {
  const data = new Float32Array(shrinking(new Uint8Array(Float32Array.from(numbers).buffer)).buffer);
  return { data, shape: [2, numbers.length / 2] };
};

const kPair = { sourceLanguage: 'en', targetLanguage: 'fr', worker: false };
const kText = 'Paris has 1,234 cats. My name is Ann.';
const kCarried = () => ({ keep: ['Paris', /[A-Z]nn/], glossary: { cats: 'chats' }, numbers: 'localise', copy: true });
const oneSided = (name) => at(`tests/goldens/one-sided/${name}`);
const collected = async (stream) => {
  const all = [];
  for await (const part of stream) all.push(part);
  return all;
};
/** A model's result for a text. The model is destroyed afterwards. */
const used = async (creating, use) => {
  const model = await creating;
  const result = await use(model);
  model.destroy();
  return result;
};
const translating = (text) => (translator) => translator.translate(text);
const kList = () => ({
  baseUrl: 'https://example.org',
  models: {
    'en-fr': [
      {
        ...{ sourceLanguage: 'en', targetLanguage: 'fr', architecture: 'tiny', releaseStatus: 'Release' },
        files: { model: { path: 'model.enfr.bin' }, vocab: { path: 'vocab.enfr.spm' } },
      },
    ],
  },
});
const kPairs = () => [['a b', 'b a'], { source: 'b', target: 'b' }];
const kTrained = () => ({ pairs: kPairs(), dev: kPairs(), config: { preset: 'tiny', model: { d_model: 32 } } });

const models = {};
beforeAll(async () => {
  models.translator = await Translator.create(kPair);
  models.tiny = await Translator.create({ ...kPair, model: tinyFolder });
  models.masked = await Encoder.load(oneSided('bert-masked'));
  models.sequence = await Encoder.load(oneSided('bert-sequence'));
  models.tokens = await Encoder.load(oneSided('bert-tokens'));
  models.answer = await Encoder.load(oneSided('bert-answer'));
  models.generator = await Generator.load(oneSided('gpt2'));
  models.trainer = await Trainer.create({ ...kTrained(), worker: false });
});
afterAll(() => Object.values(models).forEach((model) => model.destroy()));

/** A call of one of the models, and its arguments. */
const of = (model, method, ...given) => [(...args) => models[model][method](...args), given];
const streamOf = (model, method, ...given) => [(...args) => collected(models[model][method](...args)), given];
const layer = () => ({ query: rows(1, 0, 0, 1), value: rows(1, 2, 3, 4) });
const bytesOf = (url) => new Uint8Array(readFileSync(new URL(url))).buffer;

/** @type {Record<string, () => [call: (...args: any[]) => Promise<unknown>, given: any[]]>} */
const entries = {
  'Translator.availability': () => [
    (options) => Translator.availability(options),
    [{ ...kPair, worker: undefined, model: { files: filesOf(tinyFolder) } }],
  ],
  'Translator.create of bytes': () => [
    (options) => used(Translator.create(options), translating('Hello.')),
    [{ ...kPair, model: { files: filesOf(tinyFolder) }, beam: 2, wasm: bytesOf(wasmUrls().baseline) }],
  ],
  'Translator.create with several workers': () => [
    (options) => used(Translator.create(options), translating('How are you? '.repeat(40))),
    [{ ...kPair, worker: true, workers: 2, model: { files: filesOf(tinyFolder) } }],
  ],
  'Translator.create of weights in several files': () => [
    (options) => used(Translator.create(options), translating('Hello.')),
    [{ ...kPair, model: { files: sharded(filesOf(tinyFolder)) } }],
  ],
  'Translator.create of two models': () => [
    (options) => used(Translator.create(options), translating('Hello.')),
    [{ ...kPair, model: [{ files: filesOf(tinyFolder) }, { files: filesOf(tinyFolder) }], pivotLanguage: 'de' }],
  ],
  'Translator.availability by a list of models': () => [
    (options) => Translator.availability(options),
    [{ ...kPair, worker: undefined, registry: kList() }],
  ],
  registry: () => [async (...args) => (await registry(...args)).models, [kList(), { signal: undefined }]],
  translate: () => of('translator', 'translate', kText, { ...kCarried(), maxLength: 20, shortlist: false }),
  'translate after a prefix': () => of('translator', 'translate', 'Hello.', { prefix: [5, 6, 7] }),
  translateParts: () => of('translator', 'translateParts', kText, { ...kCarried(), split: true }),
  'translate of HTML': () =>
    of('translator', 'translate', '<p>I love <b>Boston</b>.</p>', {
      ...kCarried(),
      format: 'html',
      parser,
      maxLength: 20,
    }),
  translateStreaming: () => streamOf('translator', 'translateStreaming', kText, { ...kCarried(), maxLength: 20 }),
  search: () => of('translator', 'search', 'Hello.', { ...kCarried(), beam: 3, nBest: 2, tree: true, prefix: [5] }),
  trace: () => of('translator', 'trace', kText, { ...kCarried(), sentence: 0, vectors: true, prefix: [5] }),
  'trace of a pair': () =>
    of('translator', 'trace', { source: 'Hello.', target: 'Hi.' }, { ...kCarried(), vectors: true }),
  score: () => of('translator', 'score', 'Hello.', 'Bonjour.', kCarried()),
  measureInputUsage: () => of('tiny', 'measureInputUsage', 'Hello.', { signal: new AbortController().signal }),

  'load of bytes': () => [
    (files, options) => used(load(files, options), (model) => model.generate('The', { maxLength: 3 })),
    [{ files: filesOf(oneSided('gpt2')) }, { class: 'Generator', numbers: 'float', worker: false }],
  ],
  'load of a recurrent model': () => [
    (files, options) => used(load(files, options), translating('a b')),
    [{ files: filesOf(at('web/models/compared/plain')) }, { ...kPair, class: 'Translator', beam: 1 }],
  ],
  'Encoder.load': () => [
    (files, options) => used(Encoder.load(files, options), (model) => model.encode('The cat')),
    [{ files: filesOf(oneSided('bert-masked')) }, { numbers: 'int8', worker: false }],
  ],
  'Generator.load': () => [
    (files, options) => used(Generator.load(files, options), (model) => model.generate('The', { maxLength: 3 })),
    [{ files: filesOf(oneSided('gpt2')) }, { worker: false }],
  ],
  inspect: () => [inspect, [{ files: filesOf(oneSided('gpt2')) }, { numbers: 'float', worker: false }]],
  encode: () => of('masked', 'encode', 'The cat', { second: 'sat' }),
  'trace of an encoder': () => of('masked', 'trace', 'The cat', { second: 'sat' }),
  fillMask: () => of('masked', 'fillMask', 'The [MASK]', { count: 3 }),
  classify: () => of('sequence', 'classify', 'The cat', { second: 'sat' }),
  tag: () => of('tokens', 'tag', 'The cat', { signal: undefined }),
  answer: () => of('answer', 'answer', 'Who sat?', 'The cat sat.', { count: 2, maxLength: 3 }),
  generate: () =>
    of('generator', 'generate', 'The', {
      maxLength: 5,
      stop: ['x', 'yz'],
      alternatives: 2,
      seed: 3,
      topK: 5,
      topP: 0.9,
    }),
  stream: () => streamOf('generator', 'stream', 'The', { maxLength: 5, stop: ['x', 'yz'], temperature: 0 }),
  next: () => of('generator', 'next', 'The', { count: 3 }),
  'trace of a generator': () => of('generator', 'trace', 'The cat', { signal: undefined }),

  attention: () => [
    attention,
    [
      {
        ...{ ...layer(), key: [[5, 0], [0, 7]], score: 'additive', record: ['weights', 'logits'] }, // prettier-ignore
        parameters: { W_q: rows(1, 2, 3, 4), W_k: rows(1, 0, 0, 1), w_v: [1, 2] },
        window: { kind: 'local-m', halfWidth: 1 },
        mask: { causal: true, allowed: [[true, true], [true, true]], bias: rows(1, 2, 3, 4) }, // prettier-ignore
      },
    ],
  ],
  multiHeadAttention: () => [
    multiHeadAttention,
    [
      {
        ...{ ...layer(), heads: 2, memory: { keys: rows(1, 2, 3, 4), values: rows(5, 6, 7, 8) } },
        weights: { query: rows(1, 2, 3, 4), output: rows(1, 0, 1, 1) },
        biases: { query: [1, 2] },
      },
    ],
  ],
  'positions.sinusoidal': () => [positions.sinusoidal, [3, 4, { layout: 'interleaved', first: 2 }]],
  'positions.rotation': () => [positions.rotation, [1.5, 4, { layout: 'interleaved' }]],
  'positions.rotary': () => [positions.rotary, [rows(1, 2, 3, 4), { first: 1, layout: 'halves', base: 100 }]],
  'positions.learned': () => [positions.learned, [rows(1, 2, 3, 4), rows(5, 6, 7, 8), { first: 0 }]],
  loadAttention: () => [
    async (options) => [await loadAttention(options), await positions.rotary(rows(1, 2, 3, 4))],
    [{ wasm: bytesOf(attentionWasmUrls().baseline) }],
  ],

  'Trainer.create': () => [
    (options) => used(Trainer.create(options), async (trainer) => (await trainer.checkpoint()).place),
    [{ ...kTrained(), worker: false }],
  ],
  run: () => [
    async (options) => (await models.trainer.run(options)).steps,
    [{ steps: 2, interval: 1000, onProgress: () => {} }],
  ],
  'translate of a trainer': () => of('trainer', 'translate', 'a b', { beam: 2, maxLength: 3 }),
  'trace of a trainer': () => of('trainer', 'trace', { source: 'a b', target: 'b a' }, { maxLength: 3 }),
};

test.each(Object.keys(entries))('%s', async (name) => {
  const [plainCall, plain] = entries[name]();
  const expected = await plainCall(...plain);
  const [call, given] = entries[name]();
  const faults = { found: [], isOver: false };
  const running = call(...given.map((value, i) => watched(value, faults, `argument ${i}`)));
  faults.isOver = true;
  given.forEach(spoil);
  expect(await running).toEqual(expected);
  expect(faults.found).toEqual([]);
});

// Calls copy their arguments at once: they may change, shrink or be transferred as soon as the call has returned.

import { readFileSync, readdirSync } from 'node:fs';
import { attention, loadAttention, multiHeadAttention, positions } from '../../web/lib/attention/index.js';
import { copied } from '../../web/lib/base/snapshot.js';
import { attentionWasmUrls } from '../../web/lib/attention/assets.js';
import { Trainer } from '../../web/lib/train/index.js';
import { kSure } from '../translations.js';
import { create, rejection, tinyFolder } from './support.js';

const floats = (...numbers) => Float32Array.from(numbers);
const query = { data: floats(1, 2), shape: [1, 2] };
const key = { data: floats(5, 0, 0, 7), shape: [2, 2] };
const memory = { data: floats(10, 20, 30, 40), shape: [2, 2] };
const result = async (options) => (await attention({ query, key, value: memory, ...options })).output.data;

describe('attention', () => {
  let expected;
  beforeAll(async () => (expected = await result()));

  /** A 2 x 2 matrix on a buffer that can shrink, and a function that shrinks it. */
  const shrinking = (numbers) => {
    const buffer = new ArrayBuffer(16, { maxByteLength: 16 });
    const data = new Float32Array(buffer);
    data.set(numbers);
    return { tensor: { data, shape: [2, 2] }, buffer };
  };

  test.each([
    ['is written to', ({ data }) => data.fill(0)],
    ['shrinks', ({ data: { buffer } }) => buffer.resize(4)],
    ['is transferred', ({ data: { buffer } }) => structuredClone(buffer, { transfer: [buffer] })],
  ])('uses the content of an array at the call, even if it %s afterwards', async (_, change) => {
    const { tensor } = shrinking(key.data);
    const running = result({ key: tensor });
    change(tensor);
    expect(await running).toEqual(expected);
    const rows = shrinking(memory.data).tensor;
    const turned = positions.rotary(rows);
    change(rows);
    expect(await turned).toEqual(await positions.rotary(memory));
  });

  test('reads each property and each length once', async () => {
    const reads = {};
    const counted = (object, name) =>
      new Proxy(object, {
        get: (target, field) => {
          const path = `${name}.${String(field)}`;
          reads[path] = (reads[path] ?? 0) + 1;
          return Reflect.get(target, field);
        },
      });
    const rows = counted([counted([5, 0], 'row'), [0, 7]], 'rows');
    const mask = counted({ causal: false, firstQuery: 0 }, 'mask');
    const sized = counted({ data: memory.data, shape: [2, 2] }, 'value');
    const options = counted({ query, key: rows, value: sized, mask, convention: 'rows' }, 'options');
    expect((await attention(options)).output.data).toEqual(expected);
    await multiHeadAttention(counted({ query: rows, mask }, 'layer'));
    const twice = Object.entries(reads).filter(([path, count]) => count > (/^(mask|row)/.test(path) ? 2 : 1));
    expect(twice).toEqual([]); // mask and rows are passed to two calls
  });

  test('an array whose length changes at each read is refused, or its first length is used', async () => {
    let looks = 0;
    const changing = { shape: [2, 2], get data() { return ++looks === 1 ? key.data : floats(1); } }; // prettier-ignore
    expect(await result({ key: changing })).toEqual(expected);
    const growing = new Proxy([5, 0], { get: (row, field) => (field === 'length' ? 2 + looks++ : row[field]) });
    expect(await rejection(result({ key: [[0, 7], growing] }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('a transferred buffer is refused, and no other call fails', async () => {
    const { tensor, buffer } = shrinking(key.data);
    structuredClone(buffer, { transfer: [buffer] });
    const beside = result();
    for (const gone of [tensor, { data: tensor.data, shape: [0, 2] }]) {
      expect(await rejection(result({ key: gone }))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'key' });
    }
    expect(await beside).toEqual(expected);
    expect(await result()).toEqual(expected);
  });

  test('an engine from bytes uses the bytes at the call', async () => {
    const bytes = new Uint8Array(readFileSync(new URL(attentionWasmUrls().baseline))).buffer;
    const loading = loadAttention({ wasm: bytes });
    new Uint8Array(bytes).fill(0);
    expect(await loading).toEqual({ build: 'custom' });
    expect(await result()).toEqual(expected);
    for (const wasm of [null, 7, {}]) {
      expect(await rejection(loadAttention({ wasm }))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'wasm' });
    }
  });
});

describe.each([
  ['in this thread', false],
  ['in a worker', true],
])('%s', (_, worker) => {
  test("a model's bytes may be used again as soon as it is being created", async () => {
    const names = readdirSync(tinyFolder).filter((name) => /\.(json|spm|safetensors)$/.test(name));
    const read = () =>
      Object.fromEntries(names.map((name) => [name, new Uint8Array(readFileSync(`${tinyFolder}/${name}`))]));
    const before = await create({ worker, model: { files: read() } });
    const files = read();
    const creating = create({ worker, model: { files } });
    for (const bytes of Object.values(files)) bytes.fill(0);
    const after = await creating;
    expect(await after.translate('Hello.')).toBe(await before.translate('Hello.'));
    after.destroy();
    before.destroy();
  });

  test('a prefix has its pieces at the call', async () => {
    const translator = await create({ worker });
    const { target } = await translator.trace(kSure.text);
    const ids = Array.from(target.ids.subarray(0, 2));
    const expected = await translator.translate(kSure.text, { prefix: [...ids] });
    const running = translator.translate(kSure.text, { prefix: ids });
    ids.fill(0);
    expect(await running).toBe(expected);
    const endless = { length: 1, 0: target.ids[0], *[Symbol.iterator]() { for (;;) yield 1; } }; // prettier-ignore
    expect(await translator.translate(kSure.text, { prefix: endless })).toBe(kSure.translation);
    translator.destroy();
  });
});

test("a checkpoint's bytes may be used again as soon as a trainer is being created", async () => {
  const run = { pairs: [['a b', 'b a']], config: { preset: 'tiny', model: { d_model: 32, encoder_layers: 1 } } };
  const first = await Trainer.create(run);
  const { place, tensors } = await first.checkpoint();
  const given = { place, tensors: tensors.slice() };
  const creating = Trainer.create({ ...run, checkpoint: given });
  given.tensors.fill(0);
  const second = await creating;
  expect(Buffer.from((await second.checkpoint()).tensors).equals(tensors)).toBe(true);
  structuredClone(given.tensors.buffer, { transfer: [given.tensors.buffer] });
  expect(await rejection(Trainer.create({ ...run, checkpoint: given }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  first.destroy();
  second.destroy();
});

test('a copy has its own bytes, also of shared memory', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(4)).fill(1);
  const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  const given = { shared, list: [shared.buffer, 'text'], module, blob: new Blob(['x']), none: undefined };
  const own = copied(given);
  shared.fill(2);
  expect(own).toEqual({
    ...given,
    shared: Uint8Array.of(1, 1, 1, 1),
    list: [Uint8Array.of(1, 1, 1, 1).buffer, 'text'],
  });
  expect(own.module).toBe(module);
  expect(own.blob).toBe(given.blob);
});

// The attention family under AddressSanitizer and UndefinedBehaviorSanitizer, in WebAssembly. A sanitizer's report ends
// the engine, so the call fails, and the report is kept here. Skipped where the build is missing, like
// sanitized.test.js.
import { jest } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { randomTensor, transposed } from './attention-support.js';
import { compareWithGoldens } from './attention-goldens.js';
import { at, readJson } from './support.js';

const isBuilt = existsSync(at('build/wasm/asan/attention.wasm'));
const reports = [];
jest.unstable_mockModule('../../web/lib/attention/glue.js', async () => {
  const { default: createModule } = await import('../../build/wasm/asan/attention.mjs');
  return { default: (options) => createModule({ ...options, printErr: (line) => reports.push(line) }) };
});
const { attention, loadAttention, multiHeadAttention, positions } = await import('../../web/lib/attention/index.js');

jest.setTimeout(300_000); // several times slower than the released engine

beforeAll(async () => {
  if (isBuilt) await loadAttention({ wasm: new Uint8Array(readFileSync(at('build/wasm/asan/attention.wasm'))).buffer });
});
afterEach(() => expect(reports).toEqual([]));

const test = isBuilt ? globalThis.test : globalThis.test.skip;

test('a part of the golden cases passes', async () => {
  const goldens = readJson('tests/goldens/attention.json');
  const bytes = readFileSync(at('tests/goldens/attention.bin'));
  const exact = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const cases = goldens.cases.filter((_, i) => i % 4 === 0);
  expect((await compareWithGoldens(attention, { ...goldens, cases }, exact)).failures).toEqual([]);
});

test.each(['rows', 'columns'])('sizes at their ends, by %s, joined or not', async (convention) => {
  const turned = (tensor) => (convention === 'columns' ? transposed(tensor) : tensor);
  for (const [H, Q, K] of [
    [1, 0, 0],
    [2, 1, 0],
    [3, 0, 2],
    [2, 25, 1],
    [4, 3, 17],
  ]) {
    for (const [queries, joined] of [
      [randomTensor(1, H, Q, 3), true],
      [randomTensor(1, H, Q, 3), false],
      [randomTensor(2, Q, 3), true],
    ]) {
      const rank = queries.shape.length;
      const bias = turned(rank === 3 ? randomTensor(3, H, Q, K) : randomTensor(3, Q, K));
      const allowed = { data: Uint8Array.from(bias.data, (x) => x > -0.5), shape: bias.shape };
      const places = rank === 3 ? randomTensor(4, H, Q) : randomTensor(4, Q);
      const [query, memory] = [turned(queries), turned(randomTensor(5, K, 3))];
      for (const choices of [{}, { selection: 'max-pool' }, { score: 'gaussian', maskUsed: true }]) {
        const window = { kind: 'local-p', halfWidth: 3, centres: places };
        const call = { query, memory, convention, concatenate: joined, mask: { bias, allowed }, window, ...choices };
        if (rank === 2 && Q === 0) await expect(attention(call)).rejects.toMatchObject({ where: 'query' });
        else expect((await attention(call)).empty.data).toHaveLength(rank === 3 ? H * Q : Q);
      }
    }
  }
});

test('a layer with its memory and positions compute', async () => {
  const weights = { query: randomTensor(1, 8, 5), key: randomTensor(2, 4, 5), value: randomTensor(3, 6, 5) };
  const options = { heads: 4, keyHeads: 2, weights, mask: { causal: true } };
  let memory;
  for (const rows of [1, 0, 40, 3]) {
    const step = await multiHeadAttention({ query: randomTensor(rows, rows, 5), ...options, memory });
    expect(step.output.shape).toEqual([rows, 12]);
    memory = step.memory;
  }
  expect(memory.keys.shape).toEqual([44, 4]);
  for (const layout of ['halves', 'interleaved']) {
    expect((await positions.sinusoidal(5, 7, { layout, first: 3 })).data).toHaveLength(35);
    expect((await positions.rotation(3, 6, { layout })).data).toHaveLength(36);
    expect((await positions.rotary(randomTensor(1, 2, 3, 6), { layout })).data).toHaveLength(36);
  }
  expect((await positions.learned(randomTensor(1, 3, 4), randomTensor(2, 5, 4), { first: 2 })).data).toHaveLength(12);
});

test('after an error or a trap the next call works', async () => {
  const x = randomTensor(1, 2 ** 16, 1);
  await expect(attention({ query: x, key: x })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  await expect(attention({ query: x, key: randomTensor(1, 3, 2) })).rejects.toMatchObject({ where: 'score' });
  expect((await attention({ query: [[1]], memory: [[2]] })).output.data[0]).toBe(2);
});

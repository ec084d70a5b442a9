// Gradients in JavaScript: against PyTorch's in float64, against differences, and in each shape that arguments may have.
import { readFileSync } from 'node:fs';
import { attention, attentionGradient, loadAttention } from '../../web/lib/attention/index.js';
import { callOf, generated, problemInputs } from './attention-goldens.js';
import { complaint, largestDifference, plain, randomTensor, transposed } from './attention-support.js';
import { at } from './support.js';

const norm = (data) => Math.sqrt(data.reduce((sum, x) => sum + x * x, 0));
const dot = (a, b) => a.data.reduce((sum, x, i) => sum + x * b.data[i], 0);

test('every golden case is within the same tolerance as in the core', async () => {
  const { problems, cases } = JSON.parse(readFileSync(at('tests/goldens/attention-gradients.json'), 'utf8'));
  const bytes = readFileSync(at('tests/goldens/attention-gradients.bin'));
  const exact = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const failures = [];
  let compared = 0;
  for (const [number, one] of cases.entries()) {
    if (one.kind !== 'output') continue;
    const spec = problems[one.problem];
    const call = callOf(spec, problemInputs(spec), one);
    const choice = one.alpha === undefined ? {} : { alpha: one.alpha };
    const { selection } = one;
    const outputGradient = generated([spec.heads, spec.queries, spec.value_dim], one.output_gradient);
    const result = await attentionGradient({ ...call, ...choice, selection, outputGradient });
    const { parameters, window, mask, ...inputs } = result;
    const found = { ...inputs, ...parameters, ...window, ...mask };
    let { offset } = one;
    const wanted = Object.entries(one.sizes).map(([name, size]) => {
      const data = size === 0 ? new Float32Array(found[name].data.length) : exact.subarray(offset, offset + size);
      offset += size;
      return [name, data];
    });
    const all = norm(wanted.map(([, data]) => norm(data)));
    for (const [name, data] of wanted) {
      const error = norm(found[name].data.map((x, i) => x - data[i]));
      if (found[name].data.length !== data.length || !(error <= 1e-4 * norm(data) + 1e-6 * all)) {
        failures.push(`case ${number}, ${spec.score}, ${selection}: ${name} is off by ${error} of ${norm(data)}`);
      }
      ++compared;
    }
  }
  expect(failures).toEqual([]);
  expect(compared).toBeGreaterThan(1000);
}, 120_000);

const query = randomTensor(1, 2, 3, 4);
const key = randomTensor(2, 2, 5, 4);
const value = randomTensor(3, 2, 5, 2);
const outputGradient = randomTensor(4, 2, 3, 2);

test('the gradients equal finite differences, for a loss of the output and of the weights', async () => {
  const weightsGradient = randomTensor(5, 2, 3, 5);
  const options = { query, key, value, score: 'gaussian', parameters: { w: 0.8 } };
  const loss = async (given) => {
    const { output, weights } = await attention(given);
    return dot(output, outputGradient) + dot(weights, weightsGradient);
  };
  const gradients = await attentionGradient({ ...options, outputGradient, weightsGradient });
  expect(gradients.parameters.w.shape).toEqual([1]);
  for (const name of ['query', 'key', 'value']) {
    const gradient = gradients[name];
    expect(gradient.shape).toEqual(options[name].shape);
    const step = 0.004 / norm(gradient.data);
    const moved = (side) => ({
      ...options,
      [name]: { ...options[name], data: options[name].data.map((x, i) => x + side * step * gradient.data[i]) },
    });
    const slope = ((await loss(moved(1))) - (await loss(moved(-1)))) / (2 * step);
    expect(slope / norm(gradient.data) ** 2).toBeCloseTo(1, 2);
  }
  const [more, less] = [
    await loss({ ...options, parameters: { w: 0.81 } }),
    await loss({ ...options, parameters: { w: 0.79 } }),
  ];
  expect((more - less) / 0.02 / gradients.parameters.w.data[0]).toBeCloseTo(1, 2);
});

test('a memory, or shared heads, have one gradient: the sum', async () => {
  const memory = randomTensor(6, 2, 5, 4);
  const of = randomTensor(7, 2, 3, 4);
  const one = await attentionGradient({ query, memory, outputGradient: of });
  const two = await attentionGradient({ query, key: memory, value: memory, outputGradient: of });
  const sum = { shape: memory.shape, data: two.key.data.map((x, i) => x + two.value.data[i]) };
  expect(largestDifference(one.memory, sum)).toBeLessThan(1e-6);
  expect(one).not.toHaveProperty('key');
});

test('by columns all gradients except those of parameters and centres are transposed', async () => {
  const bias = randomTensor(8, 3, 5);
  const rows = await attentionGradient({ query, key, value, mask: { bias }, outputGradient });
  const columns = await attentionGradient({
    query: transposed(query),
    key: transposed(key),
    value: transposed(value),
    mask: { bias: transposed(bias) },
    convention: 'columns',
    outputGradient: transposed(outputGradient),
  });
  for (const name of ['query', 'key', 'value']) expect(plain(columns[name])).toEqual(plain(transposed(rows[name])));
  expect(plain(columns.mask.bias)).toEqual(plain(transposed(rows.mask.bias)));
});

test('joined heads and queries that are heads have the same gradients in another shape', async () => {
  const joined = { data: new Float32Array(12), shape: [3, 4] };
  outputGradient.data.forEach((x, i) => {
    const [head, row, column] = [Math.floor(i / 6), Math.floor(i / 2) % 3, i % 2];
    joined.data[row * 4 + head * 2 + column] = x;
  });
  const apart = await attentionGradient({ query, key, value, outputGradient });
  const together = await attentionGradient({ query, key, value, concatenate: true, outputGradient: joined });
  expect(plain(together.query)).toEqual(plain(apart.query));
  const flat = { data: outputGradient.data.slice(0, 6), shape: [6] };
  const options = { query: randomTensor(9, 3, 4), key: randomTensor(10, 5, 4), value: randomTensor(11, 5, 2) };
  const spread = await attentionGradient({ ...options, concatenate: true, outputGradient: flat });
  const plainRows = await attentionGradient({ ...options, outputGradient: { ...flat, shape: [3, 2] } });
  expect(spread.query.shape).toEqual([3, 4]);
  for (const name of ['query', 'key', 'value'])
    expect(largestDifference(spread[name], plainRows[name])).toBeLessThan(1e-6);
});

test('wrong arguments are refused by name, and the next call works', async () => {
  expect(await complaint(attentionGradient({ query, key, value }))).toEqual(['INVALID_ARGUMENT', 'outputGradient']);
  expect(await complaint(attentionGradient({ query, key, outputGradient }))).toEqual([
    'INVALID_ARGUMENT',
    'outputGradient',
  ]);
  const wrong = { query, key, value, outputGradient: value };
  expect(await complaint(attentionGradient(wrong))).toEqual(['INVALID_ARGUMENT', 'outputGradient']);
  const unfit = { query, key: randomTensor(2, 2, 5, 3), value, outputGradient };
  expect(await complaint(attentionGradient(unfit))).toEqual(['INVALID_ARGUMENT', 'score']);
  expect(await complaint(loadAttention({ gradients: true, wasm: 'relaxed' }))).toEqual(['INVALID_ARGUMENT', 'wasm']);
  expect((await attentionGradient({ query, key, value, outputGradient })).query.shape).toEqual([2, 3, 4]);
});

// Linear attention in JavaScript: against its weights, as a recurrence, and what it refuses.
import { attention, linearAttention } from '../../web/lib/attention/index.js';
import { complaint, headOf, largestDifference, plain, randomTensor } from './attention-support.js';

const [query, key, value] = [randomTensor(1, 4, 9, 5), randomTensor(2, 2, 9, 5), randomTensor(3, 2, 9, 3)];
const rowOf = ({ data, shape: [heads, rows, columns] }, row) => ({
  data: Float32Array.from({ length: heads * columns }, (_, i) => {
    const [head, column] = [Math.floor(i / columns), i % columns];
    return data[(head * rows + row) * columns + column];
  }),
  shape: [heads, 1, columns],
});

test.each([false, true])('it is the score linear with softmax; causal: %s', async (causal) => {
  const { output } = await linearAttention({ query, key, value, causal });
  const weighed = await attention({ query, key, value, score: 'linear', mask: { causal } });
  expect(output.shape).toEqual([4, 9, 3]);
  expect(largestDifference(output, weighed.output)).toBeLessThan(1e-5);
});

test('with the state of earlier rows a row has the same bits as in the whole sequence', async () => {
  const whole = await linearAttention({ query, key, value, causal: true });
  let state;
  for (let i = 0; i < 9; ++i) {
    const step = { query: rowOf(query, i), key: rowOf(key, i), value: rowOf(value, i), causal: true, state };
    const result = await linearAttention(step);
    expect(plain(result.output)).toEqual(plain(rowOf(whole.output, i)));
    state = result.state;
  }
  expect(plain(state)).toEqual(plain(whole.state));
  expect(state.shape).toEqual([2, 5, 4]);
});

test('without an axis of heads the output has none', async () => {
  const one = { query: headOf(query, 0), key: headOf(key, 0), value: headOf(value, 0) };
  expect((await linearAttention(one)).output.shape).toEqual([9, 3]);
});

test('wrong arguments are refused by name, and the next call works', async () => {
  const long = randomTensor(4, 4, 10, 5);
  expect(await complaint(linearAttention({ query: long, key, value, causal: true }))).toEqual([
    'INVALID_ARGUMENT',
    'key',
  ]);
  const wide = { data: new Float64Array(8), shape: [2, 2, 2] };
  expect(await complaint(linearAttention({ query, key, value, state: wide }))).toEqual(['INVALID_ARGUMENT', 'state']);
  const odd = { data: new Float64Array(3), shape: [2, 5, 4] };
  expect(await complaint(linearAttention({ query, key, value, state: odd }))).toEqual(['INVALID_ARGUMENT', 'state']);
  expect(await complaint(linearAttention({ query, key, value: query }))).toEqual(['INVALID_ARGUMENT', 'value']);
  const alpha = attention({ query, key, selection: 'entmax', alpha: 4 });
  expect(await complaint(alpha)).toEqual(['INVALID_ARGUMENT', 'alpha']);
  const sinks = attention({ query, key, window: { kind: 'global', sinks: 1 } });
  expect(await complaint(sinks)).toEqual(['INVALID_ARGUMENT', 'sinks']);
  expect((await linearAttention({ query, key, value })).output.shape).toEqual([4, 9, 3]);
});

// Nothing is computed for the keys between them, unless whole rows are recorded: the output is the same.
test('a window with sinks has the same bits with records and without', async () => {
  const [query, key, value] = [1, 2, 3].map((seed) => randomTensor(seed, 2, 1500, 8));
  const options = { query, key, value, window: { kind: 'local-m', halfWidth: 70, sinks: 3 }, mask: { causal: true } };
  const recorded = await attention({ ...options, record: ['weights'] });
  const { output } = await attention({ ...options, record: [] });
  expect(Buffer.compare(Buffer.from(output.data.buffer), Buffer.from(recorded.output.data.buffer))).toBe(0);
  const row = recorded.weights.data.subarray(1499 * 1500, 1500 * 1500);
  const seen = Array.from(row, (weight, place) => (weight > 0 ? place : -1)).filter((place) => place >= 0);
  expect(seen).toEqual([0, 1, 2, ...Array.from({ length: 71 }, (_, i) => 1429 + i)]);
});

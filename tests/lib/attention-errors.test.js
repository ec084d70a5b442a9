// What attention() refuses, with which message, and that the next call works.
import { attention, loadAttention, multiHeadAttention, positions, scores } from '../../web/lib/attention/index.js';
import { withEngine } from '../../web/lib/attention/engine.js';
import { complaint, randomTensor } from './attention-support.js';
import { rejection } from './support.js';

const good = { query: [[1, 2]], key: [[3, 4]], value: [[5]] };
const cyclic = [];
cyclic.push(cyclic);
const floats = (...shape) => randomTensor(1, ...shape);
const huge = floats(2 ** 16, 1);
const kLong = 2 ** 31;

// [name, the option that is replaced, where, code]
const kRefused = [
  ['no options', undefined, 'query'],
  ['null', null, 'attention'],
  ['a text', 'query', 'attention'],
  ['no query', { query: undefined }, 'query'],
  ['no key', { key: undefined, value: undefined }, 'key'],
  ['an option that is none', { keys: [[1]] }, 'keys'],
  ['a number as a tensor', { query: 7 }, 'query'],
  ['a text as a tensor', { query: 'abc' }, 'query'],
  ['a vector as queries', { query: [1, 2] }, 'query'],
  ['four axes', { query: [[[[1]]]] }, 'query'],
  ['an array in itself', { query: cyclic }, 'query'],
  ['an empty array', { query: [] }, 'query'],
  ['empty rows', { query: [[], []] }, 'query'],
  ['ragged rows', { key: [[3, 4], [5]] }, 'key'],
  ['rows that are none', { key: [[3, 4], 5] }, 'key'],
  ['holes', { key: [[3, 4], , [5, 6]] }, 'key'], // eslint-disable-line no-sparse-arrays
  ['a long array of holes', { key: [[3, 4], ...Array(5)] }, 'key'],
  ['elements that are texts', { query: [['1', '2']] }, 'query'],
  ['elements that are null', { query: [[1, null]] }, 'query'],
  ['elements that are bigints', { query: [[1n, 2n]] }, 'query'],
  ['typed arrays of bigints', { query: [new BigInt64Array(2)] }, 'query'],
  ['a DataView', { query: { data: new DataView(new ArrayBuffer(8)), shape: [1, 2] } }, 'query'],
  ['no shape', { query: { data: new Float32Array(2) } }, 'query'],
  ['data shorter than its shape', { query: { data: new Float32Array(3), shape: [2, 2] } }, 'query'],
  ['data longer than its shape', { query: { data: new Float32Array(5), shape: [2, 2] } }, 'query'],
  ['a shape of fractions', { query: { data: new Float32Array(2), shape: [1, 2.5] } }, 'query'],
  ['a shape below 0', { query: { data: new Float32Array(2), shape: [-1, -2] } }, 'query'],
  ['a shape of NaN', { query: { data: new Float32Array(0), shape: [NaN, 0] } }, 'query'],
  ['a shape of texts', { query: { data: new Float32Array(2), shape: ['1', '2'] } }, 'query'],
  ['too long a shape', { query: { data: new Float32Array(2), shape: Array(1e6).fill(1) } }, 'query'],
  ['no columns', { query: { data: new Float32Array(0), shape: [5, 0] } }, 'query'],
  ['no heads', { query: { data: new Float32Array(0), shape: [0, 5, 2] } }, 'query'],
  ['keys of no columns', { key: { data: new Float32Array(0), shape: [2 ** 30, 0] } }, 'key'],
  [
    'as many rows as there are numbers',
    { key: { data: new Float32Array(0), shape: [2 ** 40, 2 ** 40] } },
    'key',
    'LIMIT_EXCEEDED',
  ],
  ['keys of another size', { key: [[1, 2, 3]] }, 'score'],
  ['heads that do not divide', { query: floats(3, 1, 2), key: floats(2, 1, 2), value: floats(2, 1, 1) }, 'key'],
  ['more values than keys', { value: [[1], [2]] }, 'value'],
  ['values of other heads', { query: floats(2, 1, 2), key: floats(1, 1, 2), value: floats(2, 1, 1) }, 'value'],
  ['a memory besides keys', { memory: [[1, 2]] }, 'memory'],
  ['a score that is none', { score: 'dotty' }, 'score'],
  ['a score that is no text', { score: 7 }, 'score'],
  ['no parameters for additive', { score: 'additive' }, 'W_q'],
  ['a parameter that is none', { parameters: { W: 1 } }, 'W'],
  ['a parameter of a wrong shape', { score: 'general', parameters: { W: [[1, 2, 3]] } }, 'W'],
  ['a parameter that is a text', { score: 'general', parameters: { W: 'x' } }, 'W'],
  ['a parameter that is undefined', { score: 'gaussian', parameters: { w: undefined } }, 'w'],
  ['parameters that are a list', { score: 'gaussian', parameters: 5 }, 'parameters'],
  [
    'too few rows for location',
    { score: 'location', parameters: { W: { data: new Float32Array(0), shape: [0, 2] } } },
    'W',
  ],
  ['a temperature of cosine that vanishes', { score: 'cosine', parameters: { temperature: 1e-45 } }, 'temperature'],
  ['a temperature of cosine of 0', { score: 'cosine', parameters: { temperature: 0 } }, 'temperature'],
  ['a selection that is none', { selection: 'hard' }, 'selection'],
  ['max pooling without values', { selection: 'max-pool', value: undefined }, 'value'],
  ['temperature 0', { temperature: 0 }, 'temperature'],
  ['temperature below 0', { temperature: -1 }, 'temperature'],
  ['temperature NaN', { temperature: NaN }, 'temperature'],
  ['temperature of text', { temperature: '1' }, 'temperature'],
  ['a seed below 0', { seed: -1 }, 'seed'],
  ['a seed with a fraction', { seed: 0.5 }, 'seed'],
  ['a seed past 2^53', { seed: 2 ** 54 }, 'seed'],
  ['a seed past 2^64', { seed: 2n ** 64n }, 'seed'],
  ['a seed of text', { seed: 'x' }, 'seed'],
  ['a window that is none', { window: { kind: 'local' } }, 'window'],
  ['a window that is a text', { window: 'local-m' }, 'window'],
  ['an option of windows that is none', { window: { width: 5 } }, 'width'],
  ['a width below 0', { window: { kind: 'local-m', halfWidth: -1 } }, 'halfWidth'],
  ['a width without end', { window: { kind: 'local-m', halfWidth: Infinity } }, 'halfWidth'],
  ['local-p without a width', { window: { kind: 'local-p', centres: [0] } }, 'halfWidth'],
  ['local-p without parameters', { window: { kind: 'local-p', halfWidth: 1 } }, 'W_p'],
  ['local-p without v_p', { window: { kind: 'local-p', halfWidth: 1, W_p: [[1, 2]] } }, 'v_p'],
  ['W_p of a wrong size', { window: { kind: 'local-p', halfWidth: 1, W_p: [[1]], v_p: [1] } }, 'W_p'],
  ['too many centres', { window: { kind: 'local-p', halfWidth: 1, centres: [1, 2] } }, 'centres'],
  ['an option of masks that is none', { mask: { padding: 5 } }, 'padding'],
  ['causal that is no boolean', { mask: { causal: 1 } }, 'causal'],
  ['a place below 0', { mask: { firstQuery: -1 } }, 'firstQuery'],
  ['a place past 2^31', { mask: { firstQuery: kLong } }, 'firstQuery'],
  ['padding from a fraction', { mask: { paddingFrom: 0.5 } }, 'paddingFrom'],
  ['a mask of a wrong shape', { mask: { allowed: [[true, true]] } }, 'allowed'],
  ['a mask of other numbers', { mask: { allowed: [[2]] } }, 'allowed'],
  ['a mask of other heads', { mask: { allowed: [[[true]], [[true]]] } }, 'allowed'],
  ['a bias of a wrong shape', { mask: { bias: [[1], [2]] } }, 'bias'],
  ['maskUsed that is no boolean', { maskUsed: 'yes' }, 'maskUsed'],
  ['concatenate that is no boolean', { concatenate: 1 }, 'concatenate'],
  ['a convention that is none', { convention: 'diagonals' }, 'convention'],
  ['a record that is none', { record: ['everything'] }, 'record'],
  ['a record that is a text', { record: 'weights' }, 'record'],
  ['a record of nothing known', { record: [undefined] }, 'record'],
  ['matrices that do not fit', { query: huge, key: huge, value: undefined }, 'record', 'LIMIT_EXCEEDED'],
  [
    'an output that does not fit',
    { query: huge, key: floats(1, 1), value: floats(1, 2 ** 16), record: [] },
    'record',
    'LIMIT_EXCEEDED',
  ],
];

test.each(kRefused)('%s', async (_, given, where, code = 'INVALID_ARGUMENT') => {
  const options = typeof given === 'object' && given !== null ? { ...good, ...given } : given;
  expect(await complaint(attention(options))).toEqual([code, where]);
  expect((await attention(good)).output.data[0]).toBe(5);
});

const x = floats(3, 4);
test.each([
  ['no query', {}, 'query'],
  ['an axis of heads', { query: floats(2, 3, 4) }, 'query'],
  ['an option that is none', { query: x, value: x, dropout: 0.1 }, 'dropout'],
  ['no heads', { query: x, heads: 0 }, 'heads'],
  ['heads that do not divide the columns', { query: x, heads: 3 }, 'heads'],
  ['heads past all bounds', { query: x, heads: 2 ** 31 }, 'heads'],
  ['half a head', { query: x, heads: 0.5 }, 'heads'],
  ['key heads that do not divide the columns', { query: x, heads: 2, keyHeads: 3 }, 'keyHeads'],
  ['key heads that do not divide heads', { query: floats(3, 12), heads: 6, keyHeads: 4 }, 'key'],
  ['a weight that is none', { query: x, weights: { q: x } }, 'q'],
  ['a weight of other inputs', { query: x, weights: { query: floats(4, 5) } }, 'query'],
  ['an empty weight', { query: x, weights: { key: { data: new Float32Array(0), shape: [0, 4] } } }, 'key'],
  ['an output weight of other inputs', { query: x, weights: { output: floats(4, 5) } }, 'output'],
  ['a bias without a weight', { query: x, biases: { query: floats(4) } }, 'query'],
  ['a bias of another size', { query: x, weights: { query: floats(4, 4) }, biases: { query: floats(3) } }, 'query'],
  ['fewer values than keys', { query: x, key: x, value: floats(2, 4) }, 'value'],
  ['a memory that is none', { query: x, memory: 5 }, 'memory'],
  ['a memory of keys alone', { query: x, memory: { keys: x } }, 'memory'],
  ['a memory of more keys than values', { query: x, memory: { keys: x, values: floats(2, 4) } }, 'memory'],
  ['a memory of another layer', { query: x, memory: { keys: floats(3, 5), values: floats(3, 5) } }, 'memory'],
  ['a memory and a place', { query: x, memory: { keys: x, values: x }, mask: { firstQuery: 3 } }, 'firstQuery'],
  ['a mask without the memory', { query: x, memory: { keys: x, values: x }, mask: { bias: floats(3, 3) } }, 'bias'],
  ['several queries as one', { query: x, concatenate: true }, 'concatenate'],
])('multiHeadAttention: %s', async (_, options, where) => {
  expect(await complaint(multiHeadAttention(options))).toEqual(['INVALID_ARGUMENT', where]);
  expect((await multiHeadAttention({ query: x, heads: 2 })).output.shape).toEqual([3, 4]);
});

test('multiHeadAttention: shapes that do not fit', async () => {
  const long = floats(2 ** 16, 2);
  expect(await complaint(multiHeadAttention({ query: long }))).toEqual(['LIMIT_EXCEEDED', 'record']);
});

test.each([
  ['a count below 0', () => positions.sinusoidal(-1, 4), 'INVALID_ARGUMENT', 'count'],
  ['no columns', () => positions.sinusoidal(4, 0), 'INVALID_ARGUMENT', 'd'],
  ['a layout that is none', () => positions.sinusoidal(4, 4, { layout: 'thirds' }), 'INVALID_ARGUMENT', 'layout'],
  ['an option that is none', () => positions.sinusoidal(4, 4, { start: 1 }), 'INVALID_ARGUMENT', 'start'],
  ['more than fits', () => positions.sinusoidal(2 ** 31 - 1, 2 ** 31 - 1), 'LIMIT_EXCEEDED', 'd'],
  ['an odd rotation', () => positions.rotation(1, 5), 'INVALID_ARGUMENT', 'd'],
  ['a rotation without end', () => positions.rotation(Infinity, 4), 'INVALID_ARGUMENT', 'delta'],
  ['a rotation that does not fit', () => positions.rotation(1, 2 ** 20), 'LIMIT_EXCEEDED', 'd'],
  ['rotary of odd columns', () => positions.rotary([[1, 2, 3]]), 'INVALID_ARGUMENT', 'x'],
  ['rotary with base 0', () => positions.rotary([[1, 2]], { base: 0 }), 'INVALID_ARGUMENT', 'base'],
  ['a table of other columns', () => positions.learned([[1, 2]], [[1]]), 'INVALID_ARGUMENT', 'table'],
  ['a table that is too short', () => positions.learned([[1]], [[1]], { first: 1 }), 'INVALID_ARGUMENT', 'table'],
])('positions: %s', async (_, call, code, where) => {
  expect(await complaint(call())).toEqual([code, where]);
  expect((await positions.sinusoidal(2, 2)).data).toHaveLength(4);
});

test('an error about different sizes names the scores that allow them', async () => {
  const { message } = await rejection(attention({ ...good, key: [[1]] }));
  const free = (await scores()).filter(({ sameDims }) => !sameDims).map(({ name }) => name);
  expect(message).toContain(free.join(', '));
});

test('an unknown name is refused with the list of names', async () => {
  expect((await rejection(attention({ ...good, score: 'x' }))).message).toMatch(/"x".*additive, dot, scaled-dot/);
  expect((await rejection(attention({ ...good, selection: 'x' }))).message).toMatch(/soft, argmax, sampled/);
  expect((await rejection(attention({ ...good, window: { kind: 'x' } }))).message).toMatch(/global, local-m, local-p/);
});

test('after a trap the next call starts a new engine', async () => {
  const failed = await rejection(withEngine((wasm) => wasm.attend(null)));
  expect([failed.code, failed.message]).toEqual(['ENGINE_FAILED', expect.stringContaining('next call')]);
  expect((await attention(good)).output.data[0]).toBe(5);
});

test("an engine that cannot be loaded is an error, and the next call loads the package's own", async () => {
  const failed = await rejection(loadAttention({ wasm: new Uint8Array([1, 2, 3]).buffer }));
  expect([failed.code, failed.where]).toEqual(['UNSUPPORTED', 'qkv.wasm']);
  expect((await rejection(loadAttention({ wasm: '/no/such/file.wasm' }))).code).toBe('MISSING_FILE');
  expect((await attention(good)).output.data[0]).toBe(5);
  expect(await loadAttention({ wasm: 'baseline' })).toEqual({ build: 'baseline' });
});

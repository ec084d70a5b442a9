// The interventions of the page Translate, without a browser: their addresses, their texts, and the rows that they set.
import { readFileSync } from 'node:fs';
import {
  textOf,
  interventionsOf,
  readChanges,
  rowWith,
  weightOf,
  withWeight,
  writeChanges,
} from '../../web/demo/translate/intervention.js';

const kPlace = { attention: 'cross', layer: 1, head: 0 };
const kList = [
  { kind: 'off', attention: 'encoder', layer: 0, head: 3, keys: [] },
  { kind: 'uniform', ...kPlace, keys: [] },
  { kind: 'hide', ...kPlace, keys: [2, 3, 4] },
  { kind: 'hide', ...kPlace, queries: [1, 2], keys: [0] },
  { kind: 'set', ...kPlace, queries: [2], keys: [4, 6], weights: [0.75, 0.1] },
];
/** Changes that only an address can have: for several heads, and of other kinds. */
const kOthers = [
  ['off', { kind: 'off', keys: [] }, 'all attention, each head is off'],
  ['off.cross', { kind: 'off', attention: 'cross', keys: [] }, 'cross, each head is off'],
  ['off.cross..3', { kind: 'off', attention: 'cross', head: 2, keys: [] }, 'cross of all layers, head 3 is off'],
  [
    'uniform.encoder.2...4',
    { kind: 'uniform', attention: 'encoder', layer: 1, keys: [3] },
    'encoder layer 2, each head gives equal weights to column 4',
  ],
  [
    'off.cross.1.1.2.3-4',
    { kind: 'off', attention: 'cross', layer: 0, head: 0, queries: [1], keys: [2, 3] },
    'cross layer 1, head 1 passes on nothing of columns 3 to 4 in row 2',
  ],
  [
    'add.cross.2.1..3.-150',
    { kind: 'add', ...kPlace, keys: [2], value: -1.5 },
    'cross layer 2, head 1 has -1.50 added to its scores of column 3',
  ],
  [
    'temperature.cross.....200',
    { kind: 'temperature', attention: 'cross', keys: [], value: 2 },
    'cross, each head has its scores divided by 2.00',
  ],
  [
    'off.feedForward.encoder.1',
    { kind: 'off', block: 'feedForward', side: 'encoder', layer: 0, keys: [] },
    'encoder layer 1 has no feed-forward block',
  ],
  ['off.layer', { kind: 'off', block: 'layer', keys: [] }, 'layers, each is off'],
];

test('an address has all changes', () => {
  const written =
    'off.encoder.1.4*uniform.cross.2.1*hide.cross.2.1..3-5*hide.cross.2.1.2-3.1*set.cross.2.1.3.5_75-7_10';
  expect(writeChanges(kList)).toBe(written);
  expect(readChanges(written)).toEqual(kList);
  expect(readChanges(null)).toEqual([]);
  expect(readChanges(Array(100).fill('off.cross.1.1').join('*'))).toHaveLength(64);
});

test('the addresses in the documentation', () => {
  const table = readFileSync(new URL('../../web/docs/interventions.md', import.meta.url), 'utf8').split(
    '| in the address |',
  )[1];
  const written = Array.from(table.split('\n\n')[0].matchAll(/`([^`]+)`/g), ([, one]) => one);
  expect(written.length).toBeGreaterThan(8);
  for (const one of written) expect(writeChanges(readChanges(one))).toBe(one);
  const words = readChanges(written.join('*')).map(textOf);
  expect(words).toContain('cross layer 2, each head is off');
  expect(words).toContain('cross layer 2, head 1 gives 0.75 to column 5 and 0.10 to column 6 in row 3');
});

test.each(kOthers)('%s', (written, change, words) => {
  expect(readChanges(written)).toEqual([change]);
  expect(writeChanges([change])).toBe(written);
  expect(textOf(change)).toBe(words);
  const { keys, ...without } = change;
  expect(interventionsOf([change], trace)).toEqual([keys.length > 0 ? change : without]);
});

test.each([
  ...[
    '',
    'off.cross.0.1',
    'off.cross.1.x',
    'on.cross.1.1',
    'off.middle.1.1',
    'off.cross.1.1.2.3.4',
    'off.cross.1.1.2.3.4.5',
  ],
  ...['hide.cross', 'add.cross', 'add.cross.1.1..x.5', 'add.cross.1.1...1e9', 'temperature.cross.....0', 'temperature'],
  ...['temperature.cross.....-5', 'temperature.cross.1.1..2.50', 'uniform.layer.encoder.1', 'off.layer.middle.1'],
  ...[
    'off.layer.encoder.0',
    'off.feedForward.encoder.1.1',
    'set.cross..1.1.2_50',
    'set...1.1.2_50',
    'set.cross.1.1.2.3_50.7',
  ],
  ...['hide.cross.1.1', 'hide.cross.1.1.2', 'hide.cross.1.1.2.', 'hide.cross.1.1.2-3-4.1', 'hide.cross.1.1.1-9999.1'],
  ...[
    'set.cross.1.1..2_50',
    'set.cross.1.1.1-2.2_50',
    'set.cross.1.1.1.2',
    'set.cross.1.1.1.2_',
    'set.cross.1.1.1.2_101',
  ],
  ...[
    'set.cross.1.1.1.2_60-3_60',
    'set.cross.1.1.1.2_20-2_20',
    'set.cross.1.1.1.0_20',
    'set.cross.1.1.1.2_-5',
    '__proto__',
  ],
])('an invalid change is ignored: %s', (written) => expect(readChanges(written)).toEqual([]));

test('words count from 1', () => {
  expect(kList.map(textOf)).toEqual([
    'encoder layer 1, head 4 is off',
    'cross layer 2, head 1 gives equal weights to all columns',
    'cross layer 2, head 1 does not see columns 3 to 5',
    'cross layer 2, head 1 does not see column 1 in rows 2 to 3',
    'cross layer 2, head 1 gives 0.75 to column 5 and 0.10 to column 7 in row 3',
  ]);
});

const sum = (row) => row.reduce((a, b) => a + b, 0);

test('a row with a weight that was set sums to 1, and the others keep their proportions', () => {
  const row = [0.1, 0.2, 0.3, 0.4];
  const set = rowWith(row, [1], [0.6]);
  expect(set[1]).toBe(0.6);
  expect(sum(set)).toBeCloseTo(1, 12);
  expect(set[2] / set[0]).toBeCloseTo(3, 12);
  expect(rowWith([1, 0, 0], [0], [0.5])).toEqual([0.5, 0.25, 0.25]); // nothing to keep the proportions of
  expect(rowWith(row, [0, 3], [0.3, 0.7])).toEqual([0.3, 0, 0, 0.7]);
});

/** Two layers of one head, of three rows and three columns. */
const map = (rows) => ({ shape: [2, 1, rows.length, 3], data: Float32Array.from([...rows, ...rows].flat()) });
const trace = {
  cross: map([
    [0.5, 0.25, 0.25],
    [1, 0, 0],
    [0.25, 0.5, 0.25],
  ]),
  encoderSelf: { shape: [0, 0, 3, 3], data: new Float32Array() },
  decoderSelf: map([
    [1, 0, 0],
    [0.5, 0.5, 0],
    [0.5, 0.25, 0.25],
  ]),
};

test('weights of a row are set one after another, never more than 1 together', () => {
  let list = withWeight([], kPlace, 0, 1, 0.6);
  list = withWeight(list, kPlace, 0, 2, 0.7);
  expect(list).toEqual([{ kind: 'set', ...kPlace, queries: [0], keys: [1, 2], weights: [0.6, 0.4] }]);
  list = withWeight(list, kPlace, 0, 1, -3);
  expect(list[0].weights).toEqual([0.4, 0]);
  expect(weightOf(list, trace, kPlace, 0, 0)).toBeCloseTo(0.6, 12);
  expect(weightOf(list, trace, kPlace, 2, 1)).toBe(0.5);
  expect(withWeight(list, kPlace, 1, 0, 0.5)).toHaveLength(2);
  const decoder = { attention: 'decoder', layer: 0, head: 0 };
  expect(weightOf([], trace, decoder, 0, 0)).toBeNull(); // the only key that it sees: always 1
  expect(weightOf([], trace, decoder, 1, 2)).toBeNull(); // masked
  expect(weightOf([], trace, { ...kPlace, layer: 7 }, 0, 0)).toBeNull();
  expect(weightOf([], trace, { ...kPlace, attention: 'encoder' }, 0, 0)).toBeNull();
});

test('the engine gets whole rows, and nothing for places that a sentence does not have', () => {
  const set = (query, key) => ({ kind: 'set', ...kPlace, queries: [query], keys: [key], weights: [0.5] });
  const [made, ...more] = interventionsOf([set(2, 1), set(9, 1), set(0, 9)], trace);
  expect(more).toEqual([]);
  expect(made).toEqual({ kind: 'set', ...kPlace, queries: [2], keys: [0, 1, 2], weights: [0.25, 0.5, 0.25] });
  expect(interventionsOf(kList.slice(0, 3), trace)).toEqual([
    { kind: 'off', attention: 'encoder', layer: 0, head: 3 },
    { kind: 'uniform', ...kPlace },
    { kind: 'hide', ...kPlace, keys: [2, 3, 4] },
  ]);
});

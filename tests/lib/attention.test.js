// attention(): shapes, options and known facts. attention-goldens.test.js tests the numbers.
import { readFileSync } from 'node:fs';
import { attention, scores, selections, windows } from '../../web/lib/attention/index.js';
import { headOf, largestDifference, plain, randomTensor, transposed } from './attention-support.js';
import { at } from './support.js';

const kAll = ['output', 'weights', 'scores', 'logits', 'empty', 'chosen'];

/** A parameter of the shape that the list of scores gives. */
function parameterOf({ shape: [rows, columns] }, { queryDim, keyDim, keys, hidden = 4 }, seed) {
  const more = { valueDim: 4, '2r + 1': 5, '1 or 2': 2 };
  const sizes = {
    1: 1,
    queryDim,
    keyDim,
    hidden,
    'queryDim + keyDim': queryDim + keyDim,
    'keys or more': keys + 2,
    ...more,
  };
  return randomTensor(seed, sizes[rows], sizes[columns]);
}

const parametersOf = ({ parameters }, sizes) =>
  Object.fromEntries(parameters.map((spec, i) => [spec.name, parameterOf(spec, sizes, 90 + i)]));

describe('shapes', () => {
  test('one head has no axis of heads, several have', async () => {
    const one = await attention({
      query: randomTensor(1, 3, 4),
      key: randomTensor(2, 5, 4),
      value: randomTensor(3, 5, 2),
      window: { kind: 'local-m', halfWidth: 1 },
    });
    expect(Object.fromEntries(Object.entries(one).map(([name, { shape }]) => [name, shape]))).toEqual({
      output: [3, 2],
      weights: [3, 5],
      scores: [3, 5],
      logits: [3, 5],
      empty: [3],
      chosen: [3],
      centres: [3],
    });
    const several = await attention({ query: randomTensor(1, 4, 3, 6), memory: randomTensor(2, 2, 5, 6) });
    expect([several.output.shape, several.weights.shape, several.empty.shape]).toEqual([
      [4, 3, 6],
      [4, 3, 5],
      [4, 3],
    ]);
    expect(several.centres).toBeNull();
  });

  test('matrices written by hand are read as they are written', async () => {
    const { output, weights } = await attention({
      query: [[0, 0]],
      key: [
        [1, 2],
        [3, 4],
      ],
      value: [new Float32Array([1, 2, 3]), [3, 4, 5]],
    });
    expect(plain(weights)).toEqual({ data: [0.5, 0.5], shape: [1, 2] });
    expect(plain(output)).toEqual({ data: [2, 3, 4], shape: [1, 3] });
  });

  test('returns the requested records, in the documented types', async () => {
    const options = { query: [[1]], memory: [[1], [2]], window: { kind: 'local-m', halfWidth: 3 } };
    for (const record of [[], ['weights'], ['empty', 'chosen', 'centres'], ['scores', 'logits']]) {
      expect(Object.keys(await attention({ ...options, record })).sort()).toEqual(['output', ...record].sort());
    }
    const all = await attention(options);
    const tags = Object.fromEntries(Object.entries(all).map(([name, { data }]) => [name, data[Symbol.toStringTag]]));
    const floats = { output: 'Float32Array', weights: 'Float32Array', scores: 'Float32Array', logits: 'Float32Array' };
    expect(tags).toEqual({ ...floats, centres: 'Float32Array', empty: 'Uint8Array', chosen: 'Int32Array' });
  });

  test('without a value there are only weights', async () => {
    const { weights, ...rest } = await attention({ query: [[1, 2]], key: [[3, 4]], record: ['weights'] });
    expect([plain(weights), rest]).toEqual([{ data: [1], shape: [1, 1] }, {}]);
  });

  test.each(['rows', 'columns'])('no queries, no keys, by %s', async (convention) => {
    const empty = (rows) => (convention === 'rows' ? { shape: [rows, 3] } : { shape: [3, rows] });
    const tensor = (rows) => ({ data: new Float32Array(rows * 3), ...empty(rows) });
    for (const [queries, keys] of [
      [0, 0],
      [0, 2],
      [2, 0],
    ]) {
      const result = await attention({ query: tensor(queries), memory: tensor(keys), convention });
      expect(result.output).toEqual(tensor(queries));
      expect(result.weights.data).toHaveLength(0);
      expect(Array.from(result.empty.data)).toEqual(Array(queries).fill(1));
      expect(Array.from(result.chosen.data)).toEqual(Array(queries).fill(-1));
    }
  });
});

describe('facts', () => {
  test('the names that the types allow are those of the lists', async () => {
    const source = readFileSync(at('web/lib/attention/options.js'), 'utf8');
    const allowed = (type) => {
      const [, names] = new RegExp(`@typedef \\{([^}]*)\\} ${type} `).exec(source);
      return names.split(' | ').map((name) => name.slice(1, -1));
    };
    expect(allowed('ScoreName')).toEqual((await scores()).map(({ name }) => name));
    expect(allowed('SelectionName')).toEqual(await selections());
    expect(allowed('WindowName')).toEqual(await windows());
  });

  test('every score of the list works with parameters of the shapes that it promises', async () => {
    const list = await scores();
    expect(list.length).toBeGreaterThanOrEqual(10);
    for (const score of list) {
      const sizes = { queryDim: 6, keyDim: score.sameDims ? 6 : 5, keys: 7 };
      const options = {
        query: randomTensor(1, 2, 3, 6),
        key: randomTensor(2, 2, 7, sizes.keyDim),
        value: randomTensor(3, 2, 7, 4),
        score: score.name,
        parameters: parametersOf(score, sizes),
      };
      const result = await attention(options);
      for (const row of [0, 5]) {
        const weights = result.weights.data.subarray(row * 7, (row + 1) * 7);
        expect(Math.abs(weights.reduce((a, b) => a + b) - 1)).toBeLessThan(1e-6);
      }
      const { parameters: _parameters, ...without } = options;
      const call = attention(without);
      const required = score.parameters.find(({ optional }) => !optional);
      if (required) await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', where: required.name });
      else await call;
    }
  });

  test('columns are rows transposed, in every selection, window and mask', async () => {
    const [H, Q, K, d, dv] = [4, 5, 7, 6, 3];
    const query = randomTensor(1, H, Q, d);
    const key = randomTensor(2, 2, K, d);
    const value = randomTensor(3, 2, K, dv);
    const flags = randomTensor(4, H, Q, K);
    const allowed = { data: Uint8Array.from(flags.data, (x) => x < 0.5), shape: flags.shape };
    const bias = randomTensor(5, Q, K);
    const windowChoices = {
      global: {},
      'local-m': { halfWidth: 2 },
      'local-p': { halfWidth: 2, centres: [1, 2, 3, 4, 5] },
    };
    for (const selection of await selections()) {
      for (const kind of await windows()) {
        const choices = { selection, window: { kind, ...windowChoices[kind] }, seed: 3, score: 'alibi' };
        const rows = await attention({ query, key, value, mask: { allowed, bias }, ...choices });
        const columns = await attention({
          query: transposed(query),
          key: transposed(key),
          value: transposed(value),
          mask: { allowed: transposed(allowed), bias: transposed(bias) },
          convention: 'columns',
          ...choices,
        });
        for (const name of kAll) {
          const matrix = rows[name].shape.length === 3;
          expect(plain(columns[name])).toEqual(plain(matrix ? transposed(rows[name]) : rows[name]));
        }
        expect(plain(columns.centres)).toEqual(plain(rows.centres));
      }
    }
  });

  test('grouped heads are heads whose keys and values repeat', async () => {
    const query = randomTensor(1, 6, 4, 5);
    const [key, value] = [randomTensor(2, 2, 3, 5), randomTensor(3, 2, 3, 2)];
    const repeated = (tensor) => {
      const heads = [0, 0, 0, 1, 1, 1].map((head) => Array.from(headOf(tensor, head).data));
      return { data: Float32Array.from(heads.flat()), shape: [6, ...tensor.shape.slice(1)] };
    };
    const grouped = await attention({ query, key, value });
    const whole = await attention({ query, key: repeated(key), value: repeated(value) });
    for (const name of kAll) expect(plain(grouped[name])).toEqual(plain(whole[name]));
  });

  test('a memory is used as key and value', async () => {
    const [query, memory] = [randomTensor(1, 3, 4), randomTensor(2, 5, 4)];
    expect(await attention({ query, memory })).toEqual(await attention({ query, key: memory, value: memory }));
  });

  test('several queries over one memory: the outputs of the heads are joined', async () => {
    const query = randomTensor(1, 3, 2, 4);
    const [key, value] = [randomTensor(2, 5, 4), randomTensor(3, 5, 6)];
    const apart = await attention({ query, key, value });
    const joined = await attention({ query, key, value, concatenate: true });
    expect(joined.output.shape).toEqual([2, 18]);
    for (let h = 0; h < 3; ++h) {
      for (let i = 0; i < 2; ++i) {
        const part = joined.output.data.slice(i * 18 + h * 6, i * 18 + (h + 1) * 6);
        expect(part).toEqual(headOf(apart.output, h).data.slice(i * 6, (i + 1) * 6));
      }
    }
    expect(joined.weights).toEqual(apart.weights);
    const columns = await attention({
      query: transposed(query),
      key: transposed(key),
      value: transposed(value),
      concatenate: true,
      convention: 'columns',
    });
    expect(columns.output).toEqual(transposed(joined.output));
  });

  test('queries [N, d] over one memory give one vector; each query is a head with its own parameters and mask', async () => {
    const query = randomTensor(1, 3, 4);
    const choices = { key: randomTensor(2, 5, 4), value: randomTensor(3, 5, 6) };
    const allowed = [
      [true, true, false, true, true],
      [false, false, false, false, false],
      [true, false, true, true, true],
    ];
    const centres = [1, 2, 3];
    const parameters = { slope: randomTensor(4, 3, 1, 1) };
    const window = { kind: 'local-p', halfWidth: 2, centres };
    const options = { ...choices, score: 'alibi', parameters, window, concatenate: true };
    const joined = await attention({ ...options, query, mask: { allowed, firstQuery: 2 } });
    const asHeads = await attention({
      ...options,
      query: { data: query.data, shape: [3, 1, 4] },
      window: { ...window, centres: centres.map((centre) => [centre]) },
      mask: { allowed: allowed.map((row) => [row]), firstQuery: 2 },
    });
    expect(joined.output).toEqual({ data: asHeads.output.data, shape: [18] });
    expect(joined.weights).toEqual({ data: asHeads.weights.data, shape: [3, 5] });
    expect(plain(joined.empty)).toEqual({ data: [0, 1, 0], shape: [3] });
    expect(plain(joined.centres)).toEqual({ data: centres, shape: [3] });
    const columns = await attention({
      ...options,
      query: transposed(query),
      key: transposed(choices.key),
      value: transposed(choices.value),
      mask: { allowed: allowed[0].map((_, j) => allowed.map((row) => row[j])), firstQuery: 2 },
      convention: 'columns',
    });
    expect(columns.output).toEqual(joined.output);
    expect(columns.weights).toEqual(transposed(joined.weights));
  });

  test('a pointer that masks used keys can sort', async () => {
    const numbers = [3, -1, 4, 1.5, -9, 2.5, 6];
    const key = numbers.map((x) => [x]);
    const { chosen, weights } = await attention({
      query: numbers.map(() => [1]),
      key,
      score: 'dot',
      maskUsed: true,
    });
    const pointed = Array.from(chosen.data, (j) => numbers[j]);
    expect(pointed).toEqual(numbers.toSorted((a, b) => b - a));
    const sums = numbers.map((_, i) => weights.data.slice(i * 7, (i + 1) * 7).reduce((a, b) => a + b));
    for (const sum of sums) expect(Math.abs(sum - 1)).toBeLessThan(1e-6);
    const more = await attention({ query: [...key, [1]], key, score: 'dot', maskUsed: true });
    expect([more.chosen.data.at(-1), more.empty.data.at(-1)]).toEqual([-1, 1]);
  });

  test('samples repeat by their seed, and average to the softmax', async () => {
    const count = 20_000;
    const query = { data: new Float32Array(count).fill(1), shape: [count, 1] };
    const key = [[0], [1], [-0.5], [0.25]];
    const sample = (seed) => attention({ query, key, score: 'dot', selection: 'sampled', seed, record: ['chosen'] });
    const draws = await Promise.all([0, 7, 7n, 2 ** 53 - 1, 2n ** 64n - 1n].map(sample));
    expect(draws[1]).toEqual(draws[2]);
    expect(draws[3]).toEqual(await sample(2 ** 53 - 1));
    const distinct = new Set(draws.map(({ chosen }) => chosen.data.join('')));
    expect(distinct.size).toBe(4);
    const { weights } = await attention({ query: [[1]], key, score: 'dot' });
    for (const { chosen } of draws) {
      for (let j = 0; j < 4; ++j) {
        const [p, share] = [weights.data[j], chosen.data.filter((k) => k === j).length / count];
        expect(Math.abs(share - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / count));
      }
    }
  });

  test('recording changes no bit of the output', async () => {
    const options = { query: randomTensor(1, 2, 50, 16), memory: randomTensor(2, 2, 300, 16), mask: { causal: true } };
    const whole = await attention(options);
    expect((await attention({ ...options, record: [] })).output).toEqual(whole.output);
  });

  test('simultaneous calls do not affect each other', async () => {
    const calls = Array.from({ length: 20 }, (_, i) => ({
      query: randomTensor(i, 4, 3),
      memory: randomTensor(i, 5, 3),
    }));
    const together = await Promise.all(calls.map((options) => attention(options)));
    for (const [i, options] of calls.entries()) expect(await attention(options)).toEqual(together[i]);
  });
});

describe('numbers at their ends', () => {
  test('a NaN only reaches the rows that see it; scores of 1e4 and infinite masks work', async () => {
    const key = [[1], [NaN], [1e4], [-1e4]];
    const value = [[1], [NaN], [3], [4]];
    const bias = [
      [0, -Infinity, 0, 0],
      [0, 0, 0, 0],
      [-Infinity, -Infinity, -Infinity, -Infinity],
    ];
    const { output, weights, empty } = await attention({ query: [[1], [1], [NaN]], key, value, mask: { bias } });
    expect(Array.from(output.data)).toEqual([3, NaN, 0]);
    expect(Array.from(weights.data.slice(0, 4))).toEqual([0, 0, 1, 0]);
    expect(Array.from(weights.data.slice(4, 8))).toEqual([NaN, NaN, NaN, NaN]);
    expect(Array.from(empty.data)).toEqual([0, 0, 1]);
  });

  test('a temperature that underflows or overflows in float32 is refused for draws', async () => {
    for (const temperature of [1e-3, 1e3, 1e-30, 1e30]) {
      const { weights } = await attention({ query: [[1]], key: [[1], [2]], temperature });
      expect(Math.abs(weights.data[0] + weights.data[1] - 1)).toBeLessThan(1e-6);
    }
    for (const temperature of [1e-60, 1e-45, 1e-38, 1e60]) {
      const call = attention({ query: [[1]], key: [[1], [2]], temperature });
      await expect(call).rejects.toMatchObject({ where: 'temperature' });
    }
  });

  test('dims from 1 to 1,024 and long rows', async () => {
    for (const [Q, K, d] of [
      [1, 16_384, 1],
      [3, 5, 1024],
      [130, 1, 17],
    ]) {
      const { output, weights } = await attention({ query: randomTensor(1, Q, d), memory: randomTensor(2, K, d) });
      expect(output.data.every(Number.isFinite)).toBe(true);
      const sum = weights.data.subarray(0, K).reduce((a, b) => a + b, 0);
      expect(Math.abs(sum - 1)).toBeLessThan(1e-4);
    }
  });

  test('a window of the largest width equals a global one', async () => {
    const options = { query: randomTensor(1, 9, 4), memory: randomTensor(2, 12, 4) };
    const whole = await attention(options);
    const local = await attention({
      ...options,
      window: { kind: 'local-p', halfWidth: 1e9, centres: Array(9).fill(3) },
    });
    expect(largestDifference(local.output, whole.output)).toBeLessThan(1e-6);
  });
});

// multiHeadAttention() and positions.
import { attention, multiHeadAttention, positions } from '../../web/lib/attention/index.js';
import { headOf, largestDifference, plain, randomTensor, rowsOf, transposed } from './attention-support.js';

const at = ({ data, shape: [, columns] }, row, column) => data[row * columns + column];

/** x W' + b in double. */
function projected(x, weight, bias) {
  const [rows, inputs] = x.shape;
  const [outputs] = weight.shape;
  const data = new Float64Array(rows * outputs);
  for (let r = 0; r < rows; ++r) {
    for (let o = 0; o < outputs; ++o) {
      let sum = bias ? bias.data[o] : 0;
      for (let i = 0; i < inputs; ++i) sum += at(x, r, i) * at(weight, o, i);
      data[r * outputs + o] = sum;
    }
  }
  return { data, shape: [rows, outputs] };
}

/** [rows, heads * dim] -> [heads, rows, dim] */
function split({ data, shape: [rows, columns] }, heads) {
  const dim = columns / heads;
  const parts = Array.from({ length: heads }, (_, h) =>
    Array.from({ length: rows }, (_, r) => Array.from(data.slice(r * columns + h * dim, r * columns + (h + 1) * dim))),
  );
  return { data: Float32Array.from(parts.flat(2)), shape: [heads, rows, dim] };
}

/** [heads, rows, dim] -> [rows, heads * dim] */
function joined(tensor) {
  const [heads, rows, dim] = tensor.shape;
  const data = new Float32Array(tensor.data.length);
  for (let h = 0; h < heads; ++h) {
    for (let r = 0; r < rows; ++r) {
      data.set(headOf(tensor, h).data.slice(r * dim, (r + 1) * dim), r * heads * dim + h * dim);
    }
  }
  return { data, shape: [rows, heads * dim] };
}

// 6 heads of 5, in two groups; values of 3.
const layer = {
  heads: 6,
  keyHeads: 2,
  weights: {
    query: randomTensor(1, 30, 11),
    key: randomTensor(2, 10, 9),
    value: randomTensor(3, 6, 7),
    output: randomTensor(4, 13, 18),
  },
  biases: {
    query: randomTensor(5, 30),
    key: randomTensor(6, 10),
    value: randomTensor(7, 6),
    output: randomTensor(8, 13),
  },
};

describe('multiHeadAttention', () => {
  test.each([['scaled-dot'], ['additive'], ['gaussian'], ['alibi']])(
    'is W_o [head_1; ...; head_H], each in its own projection: %s',
    async (score) => {
      const [query, key, value] = [randomTensor(11, 4, 11), randomTensor(12, 8, 9), randomTensor(13, 8, 7)];
      const additive = { W_q: randomTensor(14, 6, 4, 5), W_k: randomTensor(15, 6, 4, 5), w_v: randomTensor(16, 4) };
      const choices = {
        score,
        parameters: score === 'additive' ? additive : {},
        mask: { firstQuery: 2, causal: true, bias: randomTensor(17, 6, 4, 8) },
      };
      const result = await multiHeadAttention({ query, key, value, ...layer, ...choices });
      const part = (x, name, heads) => split(projected(x, layer.weights[name], layer.biases[name]), heads);
      const inner = await attention({
        query: part(query, 'query', 6),
        key: part(key, 'key', 2),
        value: part(value, 'value', 2),
        ...choices,
      });
      expect(result.weights.shape).toEqual([6, 4, 8]);
      expect(largestDifference(result.weights, inner.weights)).toBeLessThan(1e-5);
      const output = projected(joined(inner.output), layer.weights.output, layer.biases.output);
      expect(result.output.shape).toEqual([4, 13]);
      expect(largestDifference(result.output, output)).toBeLessThan(5e-5);
      expect(result.memory).toBeUndefined();
    },
  );

  test('without weights it equals attention on heads side by side', async () => {
    const x = randomTensor(1, 5, 12);
    const { output, weights } = await multiHeadAttention({ query: x, heads: 3 });
    const plainly = await attention({ query: split(x, 3), memory: split(x, 3) });
    expect(output).toEqual(joined(plainly.output));
    expect(weights).toEqual(plainly.weights);
  });

  test('one row at a time with a memory gives the whole sequence', async () => {
    const x = randomTensor(9, 20, 11);
    const own = {
      ...layer,
      weights: { ...layer.weights, key: randomTensor(2, 10, 11), value: randomTensor(3, 6, 11) },
    };
    for (const choices of [
      {},
      { score: 'alibi' },
      { window: { kind: 'local-m', halfWidth: 3 } },
      { selection: 'gate' },
    ]) {
      const options = { ...own, ...choices, mask: { causal: true } };
      const whole = await multiHeadAttention({ ...options, query: x });
      let memory;
      for (let i = 0; i < 20; ++i) {
        const step = await multiHeadAttention({ ...options, query: rowsOf(x, i, i + 1), memory });
        expect(largestDifference(step.output, rowsOf(whole.output, i, i + 1))).toBeLessThan(1e-5);
        expect(step.weights.shape).toEqual([6, 1, i + 1]);
        memory = structuredClone(step.memory);
      }
      expect(memory.keys.shape).toEqual([20, 10]);
      expect(largestDifference(memory.values, whole.memory.values)).toBeLessThan(1e-5);
      const half = await multiHeadAttention({ ...options, query: rowsOf(x, 0, 10) });
      const rest = await multiHeadAttention({ ...options, query: rowsOf(x, 10, 20), memory: half.memory });
      expect(largestDifference(rest.output, rowsOf(whole.output, 10, 20))).toBeLessThan(1e-5);
    }
  });

  test('a memory without rows is allowed at the beginning', async () => {
    const none = { data: new Float32Array(), shape: [0, 4] };
    const x = randomTensor(1, 3, 4);
    const begun = await multiHeadAttention({ query: none, heads: 2 });
    expect(begun.memory.keys.data).toHaveLength(0);
    const [fresh, resumed] = [
      { query: x, heads: 2 },
      { query: x, heads: 2, memory: begun.memory },
    ];
    expect(await multiHeadAttention(resumed)).toEqual(await multiHeadAttention(fresh));
  });

  test('by columns the results are transposed', async () => {
    const [query, key, value] = [randomTensor(11, 4, 11), randomTensor(12, 8, 9), randomTensor(13, 8, 7)];
    const rows = await multiHeadAttention({ query, key, value, ...layer });
    const [q, k, v] = [query, key, value].map(transposed);
    const columns = await multiHeadAttention({ query: q, key: k, value: v, ...layer, convention: 'columns' });
    expect(plain(columns.output)).toEqual(plain(transposed(rows.output)));
    expect(plain(columns.weights)).toEqual(plain(transposed(rows.weights)));
    expect(columns.memory).toEqual(rows.memory);
  });

  test('without positions self-attention is equivariant to the order of rows', async () => {
    const order = [3, 0, 4, 1, 2];
    const x = randomTensor(1, 5, 8);
    const moved = {
      data: Float32Array.from(order.flatMap((i) => Array.from(rowsOf(x, i, i + 1).data))),
      shape: [5, 8],
    };
    const weights = { query: randomTensor(2, 8, 8), key: randomTensor(3, 8, 8), value: randomTensor(4, 8, 8) };
    const straight = await multiHeadAttention({ query: x, heads: 2, weights });
    const permuted = await multiHeadAttention({ query: moved, heads: 2, weights });
    for (const [to, from] of order.entries()) {
      const [a, b] = [rowsOf(permuted.output, to, to + 1), rowsOf(straight.output, from, from + 1)];
      expect(largestDifference(a, b)).toBeLessThan(1e-5);
    }
  });
});

describe('positions', () => {
  const columnsOf = (layout, j, d) => (layout === 'interleaved' ? [2 * j, 2 * j + 1] : [j, Math.ceil(d / 2) + j]);

  test.each(['halves', 'interleaved'])(
    'sinusoids, %s: the formula, and p(i + delta) = R(delta) p(i)',
    async (layout) => {
      for (const d of [2, 8, 7]) {
        const table = await positions.sinusoidal(6, d, { layout, first: 3 });
        expect(table.shape).toEqual([6, d]);
        for (let j = 0; j < Math.ceil(d / 2); ++j) {
          const [sine, cosine] = columnsOf(layout, j, d);
          const angle = 5 / 10000 ** ((2 * j) / d);
          expect(at(table, 2, sine)).toBeCloseTo(Math.sin(angle), 6);
          if (cosine < d) expect(at(table, 2, cosine)).toBeCloseTo(Math.cos(angle), 6);
        }
      }
      const table = await positions.sinusoidal(40, 8, { layout });
      for (const delta of [0, 1, 17, -5]) {
        const turned = projected(table, await positions.rotation(delta, 8, { layout }));
        for (let i = 5; i + 17 < 40; ++i) {
          const [a, b] = [rowsOf(turned, i, i + 1), rowsOf(table, i + delta, i + delta + 1)];
          expect(largestDifference(a, b)).toBeLessThan(1e-6);
        }
      }
    },
  );

  test.each(['halves', 'interleaved'])('rotary, %s: products depend on the distance alone', async (layout) => {
    const [q, k] = [randomTensor(1, 1, 6), randomTensor(2, 1, 6)];
    const place = async (x, first) => (await positions.rotary(x, { first, layout, base: 100 })).data;
    const product = async (i, j) => {
      const [a, b] = [await place(q, i), await place(k, j)];
      return a.reduce((sum, x, c) => sum + x * b[c], 0);
    };
    expect(await product(9, 4)).toBeCloseTo(await product(25, 20), 5);
    expect(Math.abs((await product(9, 4)) - (await product(9, 5)))).toBeGreaterThan(1e-3);
    expect(await place(q, 0)).toEqual(q.data);
    const heads = await positions.rotary(randomTensor(3, 2, 4, 6), { layout });
    expect(heads.shape).toEqual([2, 4, 6]);
    const second = await positions.rotary(headOf(randomTensor(3, 2, 4, 6), 1), { layout });
    expect(headOf(heads, 1)).toEqual(second);
  });

  test('rotary rotates the pairs of its layout, and does not change its input', async () => {
    const x = { data: new Float32Array([1, 2, 3, 4]), shape: [1, 4] };
    const { data } = await positions.rotary(x, { first: 1, layout: 'interleaved' });
    const turn = (u, v, angle) => [
      u * Math.cos(angle) - v * Math.sin(angle),
      u * Math.sin(angle) + v * Math.cos(angle),
    ];
    [...turn(1, 2, 1), ...turn(3, 4, 0.01)].forEach((wanted, c) => expect(data[c]).toBeCloseTo(wanted, 5));
    expect(Array.from(x.data)).toEqual([1, 2, 3, 4]);
  });

  test('learned positions are added', async () => {
    const table = [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
    const sum = await positions.learned(
      [
        [10, 20],
        [30, 40],
      ],
      table,
      { first: 1 },
    );
    expect(plain(sum)).toEqual({ data: [13, 24, 35, 46], shape: [2, 2] });
  });
});

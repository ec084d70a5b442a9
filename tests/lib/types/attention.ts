// What a user of 'qkv/attention' writes, against the types in the package. types.test.js compiles this file; it never
// runs.
import {
  QkvError,
  attention,
  loadAttention,
  multiHeadAttention,
  positions,
  scores,
  selections,
  windows,
  type Choices,
  type LayerMemory,
  type Recorded,
  type ScoreInfo,
  type ScoreName,
  type SelectionName,
  type Tensor,
  type TensorLike,
  type WindowName,
} from 'qkv/attention';

const query: TensorLike = [
  [1, 2],
  [3, 4],
];
const key: Tensor = { data: new Float32Array(6), shape: [3, 2] };
const value = [new Float32Array(4), new Float32Array(4), new Float32Array(4)];

export async function everything(): Promise<Float32Array> {
  const { output, weights, scores, logits, empty, chosen, centres } = await attention({
    query,
    key,
    value,
    score: 'additive',
    parameters: { W_q: [[1, 2]], W_k: key, w_v: [1] },
    selection: 'sampled',
    temperature: 0.5,
    seed: 7n,
    window: { kind: 'local-p', halfWidth: 2, centres: [0, 1] },
    mask: { causal: true, firstQuery: 1, paddingFrom: 3, allowed: [[true, false, true]], bias: [[0, -Infinity, 1]] },
    maskUsed: false,
    convention: 'rows',
    concatenate: false,
  });
  const all: Tensor[] = [output, weights, scores, logits];
  const bytes: Uint8Array = empty.data;
  const indices: Int32Array = chosen.data;
  console.log(all, bytes, indices, centres?.shape);
  return output.data;
}

export async function some(): Promise<Tensor[]> {
  const { output } = await attention({ query, memory: key, record: [] });
  const { weights } = await attention({ query, key, record: ['weights'] });
  const record = ['logits', 'chosen'] as const;
  const { logits, chosen } = await attention({ query, memory: key, record });
  console.log(chosen.data);
  return [output, weights, logits];
}

export async function generates(rows: number[][]): Promise<Tensor[]> {
  let memory: LayerMemory | undefined;
  const outputs: Tensor[] = [];
  for (const row of rows) {
    const step = await multiHeadAttention({
      query: [row],
      heads: 4,
      keyHeads: 2,
      weights: { query: key, output: key },
      biases: { query: [1, 2, 3] },
      mask: { causal: true },
      memory,
      record: ['weights'],
    });
    memory = step.memory;
    outputs.push(step.output, step.weights);
  }
  return outputs;
}

export async function places(): Promise<Tensor> {
  const table = await positions.sinusoidal(10, 4, { layout: 'interleaved', first: 3 });
  const turned = await positions.rotary(table, { base: 500, layout: 'halves' });
  const matrix: Tensor = await positions.rotation(-2, 4);
  console.log(matrix.shape);
  return positions.learned(turned, table, { first: 0 });
}

export async function lists(): Promise<string[]> {
  const { build } = await loadAttention({ wasm: 'baseline' });
  const all: ScoreInfo[] = await scores();
  const names: ScoreName[] = all.map(({ name }) => name);
  const kinds: (SelectionName | WindowName)[] = [...(await selections()), ...(await windows())];
  const choices: Choices<Recorded>[] = names.map((score) => ({ score, selection: 'soft' }));
  const error = await attention({ query, key, ...choices[0] }).catch((reason: unknown) => reason);
  return [build, ...kinds, error instanceof QkvError ? error.where : all[0].parameters[0].shape[0]];
}

export async function refused() {
  // @ts-expect-error a query is required
  await attention({ key, value });
  // @ts-expect-error keys, or a memory
  await attention({ query });
  // @ts-expect-error no such score
  await attention({ query, key, value, score: 'bilinear' });
  // @ts-expect-error no such selection
  await attention({ query, key, value, selection: 'hard' });
  // @ts-expect-error no such window
  await attention({ query, key, value, window: { kind: 'local' } });
  // @ts-expect-error no such record
  await attention({ query, key, value, record: ['everything'] });
  // @ts-expect-error no such option
  await attention({ query, key, value, causal: true });
  // @ts-expect-error not a tensor
  await attention({ query: 'x', key, value });
  // @ts-expect-error no output without values
  (await attention({ query, key })).output;
  // @ts-expect-error not recorded
  (await attention({ query, key, value, record: ['weights'] })).scores;
  // @ts-expect-error no such weight
  await multiHeadAttention({ query, weights: { values: key } });
  // @ts-expect-error no such layout
  await positions.sinusoidal(4, 4, { layout: 'thirds' });
}

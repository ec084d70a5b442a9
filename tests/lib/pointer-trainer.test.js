// Pointer networks in Node: one learns to sort numbers, is asked at any moment, goes on bit for bit, and is kept as files.
import { PointerTrainer } from '../../web/lib/train/index.js';
import { uniform } from '../bench/random.mjs';

const next = uniform(5);
const sorted = (points) => [...points.keys()].sort((a, b) => points[a] - points[b]);
const draw = (count) => {
  const points = Array.from({ length: count }, () => next());
  return { points, order: sorted(points) };
};
const sets = Array.from({ length: 2000 }, () => draw(3 + Math.floor(3 * next())));
const config = { width: 24, batch: 32, rate: 0.01, seed: 3 };

const trainers = [];
const create = async (more = {}) => {
  trainers.push(await PointerTrainer.create({ sets, config, ...more }));
  return trainers.at(-1);
};
afterEach(() => trainers.splice(0).forEach((trainer) => trainer.destroy()));

test('learns to sort, answers during training, and writes files that load', async () => {
  const dev = Array.from({ length: 100 }, () => draw(4));
  const trainer = await create({ dev });
  expect(trainer.info).toEqual({ inputs: 1, parameters: expect.any(Number) });
  const before = await trainer.measure();
  const reports = [];
  const running = trainer.run({ steps: 600, interval: 50, onProgress: (progress) => reports.push(progress) });
  expect(await trainer.point([0.5, 0.2])).toHaveLength(2); // in the midst of it
  expect(await running).toMatchObject({ step: 600, rate: 0.01, tokens: 0 });
  expect(reports.reduce((sum, { steps }) => sum + steps, 0)).toBe(600);
  expect(await trainer.measure()).toBeLessThan(before / 4);
  const right = await Promise.all(
    dev.map(async ({ points, order }) => `${await trainer.point(points)}` === `${order}`),
  );
  expect(right.filter(Boolean).length).toBeGreaterThan(80);

  const { order, weights } = await trainer.trace([0.9, 0.1, 0.5]);
  expect(order).toEqual([1, 2, 0]);
  expect(weights.shape).toEqual([3, 3]);
  for (let row = 0; row < 3; ++row) {
    const odds = weights.data.subarray(3 * row, 3 * row + 3);
    expect(odds.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 5);
    expect(odds.indexOf(Math.max(...odds))).toBe(order[row]);
    for (const written of order.slice(0, row)) expect(odds[written]).toBe(0);
  }

  const files = await trainer.files();
  expect(JSON.parse(new TextDecoder().decode(files['config.json']))).toEqual({
    ...{ model_type: 'qkv-pointer', d_model: 24, cell: 'lstm', bidirectional: false, repeats: false, inputs: 1 },
  });
  const runs = await PointerTrainer.create({ files });
  trainers.push(runs);
  expect(await runs.trace([0.9, 0.1, 0.5])).toEqual({ order, weights });
  await expect(runs.run({ steps: 1 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
}, 120_000);

test('continues from a checkpoint bit for bit, in another trainer and in the same', async () => {
  const whole = await create();
  await whole.run({ steps: 12 });
  const first = await create();
  await first.run({ steps: 5 });
  const checkpoint = structuredClone(await first.checkpoint());
  await first.run({ steps: 3 });
  await first.restore(checkpoint);
  await first.run({ steps: 7 });
  const second = await create({ checkpoint });
  await second.run({ steps: 7 });
  const state = async (trainer) => Buffer.from((await trainer.checkpoint()).tensors).toString('base64');
  expect(await state(first)).toBe(await state(whole));
  expect(await state(second)).toBe(await state(whole));
}, 60_000);

test('points have several numbers, and an order may end at a place', async () => {
  const hulls = [
    {
      points: [
        [0, 0, 0],
        [1, 0, 0],
        [0.5, 1, 0],
        [0.5, 0.3, 0],
        [0, 0, 1],
      ],
      order: [0, 1, 2, 4],
    },
  ];
  const trainer = await create({ sets: hulls, config: { ...config, batch: 2 } });
  await trainer.run({ steps: 150 });
  expect(await trainer.point(hulls[0].points, { stop: 4 })).toEqual([0, 1, 2, 4]);
  expect(await trainer.point(hulls[0].points, { most: 2 })).toEqual([0, 1]);
}, 60_000);

test('pauses, takes another rate, and ends', async () => {
  const trainer = await create();
  const { step } = await trainer.run({ interval: 10, onProgress: () => trainer.pause() });
  expect(step).toBeGreaterThan(0);
  await trainer.setLearningRate(0.25);
  expect((await trainer.run({ steps: 1 })).rate).toBe(0.25);
  const ended = trainer.run();
  trainer.destroy();
  await expect(ended).rejects.toMatchObject({ name: expect.stringMatching(/AbortError|InvalidStateError/) });
  await expect(trainer.point([1])).rejects.toMatchObject({ name: 'InvalidStateError' });
}, 60_000);

test.each([
  [{}, 'inputs'],
  [{ sets: 7 }, 'sets'],
  [{ sets: [{ points: [], order: [0] }] }, 'sets'],
  [{ sets: [{ points: [1, NaN], order: [0] }] }, 'sets'],
  [{ sets: [{ points: [[1, 2], [3]], order: [0] }] }, 'sets'],
  [{ sets: [{ points: [1, 2] }] }, 'sets'],
  [{ sets: [{ points: [1, 2], order: [2] }] }, 'sets'],
  [{ sets: [{ points: [1, 2], order: [1, 1] }] }, 'sets'],
  [{ sets, dev: [{ points: [[1, 2]], order: [0] }] }, 'dev'],
  [{ sets, inputs: 2 }, 'sets'],
  [{ sets, steps: 1 }, 'steps'],
  [{ sets, config: { depth: 2 } }, 'depth'],
  [{ sets, files: { 'config.json': new Uint8Array(2), 'model.safetensors': new Uint8Array() } }, 'files'],
])('refuses %j', async (options, where) => {
  await expect(PointerTrainer.create(options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', where });
});

test('refuses points and checkpoints that do not fit, and works afterwards', async () => {
  const trainer = await create();
  for (const points of [[], 'abc', [[1, 2]], [NaN]]) {
    await expect(trainer.point(points)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', where: 'points' });
  }
  await expect(trainer.point([1, 2], { most: 3 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await expect(trainer.restore({ place: 3, tensors: null })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  const large = await create({ sets: [{ points: [1e38, -1e38], order: [0, 1] }], config: { rate: 10, clip: 0 } });
  await expect(
    large.run({ steps: 1 }).then(
      () => 'ran',
      ({ code }) => code,
    ),
  ).resolves.toMatch(/ran|INVALID_ARGUMENT/);
  expect(await trainer.point([0.1, 0.2])).toHaveLength(2);
  await expect(
    PointerTrainer.create({ sets, checkpoint: { place: '{}', tensors: new Uint8Array(9) } }),
  ).rejects.toMatchObject({
    code: 'INVALID_FILE',
  });
});

// qkv/train in Node: a Transformer learns to reverse short words.
import { Trainer } from '../../web/lib/train/index.js';
import { Translator } from '../../web/lib/index.js';

const kLetters = 'abcdef';
const words = [...kLetters].flatMap((a) => ['', ...kLetters].flatMap((b) => ['', ...kLetters].map((c) => a + b + c)));
const turned = (word) => [...word].reverse().join('');
const pairs = words.map((word) => [word, turned(word)]);

const config = {
  steps: 300,
  model: {
    d_model: 32,
    encoder_layers: 1,
    decoder_layers: 1,
    encoder_attention_heads: 4,
    decoder_attention_heads: 4,
    encoder_ffn_dim: 64,
    decoder_ffn_dim: 64,
    dropout: 0,
    attention_dropout: 0,
    activation_dropout: 0,
    max_position_embeddings: 16,
  },
  batch: { tokens: 512, longest: 16, joined: [1] },
  optimiser: { smoothing: 0 },
  schedule: { kind: 'cosine', peak: 0.005, warmup: 30 },
};
const trainers = [];
const create = async (more = {}) => {
  trainers.push(await Trainer.create({ pairs, config, ...more }));
  return trainers.at(-1);
};
afterEach(() => trainers.splice(0).forEach((trainer) => trainer.destroy()));

test('learns, answers during training, and writes a model that the Translator loads', async () => {
  const trainer = await create({ dev: pairs.slice(0, 40) });
  expect(trainer.info).toMatchObject({ dModel: 32, encoderLayers: 1, vocabularySize: 9 });
  const before = await trainer.measure();
  const reports = [];
  const running = trainer.run({ steps: 300, interval: 20, onProgress: (progress) => reports.push(progress) });
  expect(typeof (await trainer.translate('abc'))).toBe('string'); // in the middle of it
  const last = await running;
  expect(last.step).toBe(300);
  expect(reports.map(({ step }) => step)).toEqual([...reports.map(({ step }) => step)].sort((a, b) => a - b));
  expect(reports.reduce((sum, { steps }) => sum + steps, 0)).toBe(300);
  expect(await trainer.measure()).toBeLessThan(before / 10);
  const right = await Promise.all(
    words.slice(0, 60).map(async (word) => (await trainer.translate(word)) === turned(word)),
  );
  expect(right.filter(Boolean).length).toBeGreaterThan(54);

  const trace = await trainer.trace('abc');
  expect(trace.source.pieces).toEqual(['a', 'b', 'c', '</s>']);
  expect(trace.cross.shape.slice(0, 2)).toEqual([1, 4]);
  const files = await trainer.files();
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'en', model: { files }, beam: 1 });
  expect(await translator.translate('fed', { split: false })).toBe(await trainer.translate('fed'));
  translator.destroy();
}, 60_000);

test('continues from a checkpoint bit for bit, in another trainer', async () => {
  const whole = await create();
  await whole.run({ steps: 12 });
  const first = await create();
  await first.run({ steps: 5 });
  const checkpoint = structuredClone(await first.checkpoint());
  const second = await create({ checkpoint });
  await second.run({ steps: 7 });
  const weights = async (trainer) => Buffer.from((await trainer.checkpoint()).tensors);
  expect((await weights(second)).equals(await weights(whole))).toBe(true);
  await expect(create({ checkpoint: { place: '{}', tensors: checkpoint.tensors } })).rejects.toMatchObject({
    code: 'INVALID_FILE',
  });
  await expect(
    create({ checkpoint: { ...checkpoint, tensors: checkpoint.tensors.subarray(0, 5000) } }),
  ).rejects.toMatchObject({ name: 'QkvError' });
}, 60_000);

test('pauses, takes another learning rate, is aborted and destroyed', async () => {
  const trainer = await create();
  const running = trainer.run({ interval: 10, onProgress: () => trainer.pause() });
  await expect(trainer.run()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  const { step } = await running;
  expect(step).toBeGreaterThan(0);
  await trainer.setLearningRate(0);
  const before = await trainer.checkpoint();
  const { rate } = await trainer.run({ steps: 1 });
  expect(rate).toBe(0);
  const after = await trainer.checkpoint();
  expect(after.place).not.toBe(before.place);
  await expect(trainer.setLearningRate(NaN)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });

  const reason = new Error('enough');
  const controller = new AbortController();
  const aborted = trainer.run({ interval: 10, onProgress: () => controller.abort(reason), signal: controller.signal });
  await expect(aborted).rejects.toBe(reason);
  const ended = trainer.run();
  trainer.destroy();
  await expect(ended).rejects.toMatchObject({ name: expect.stringMatching(/AbortError|InvalidStateError/) });
  await expect(trainer.translate('abc')).rejects.toMatchObject({ name: 'InvalidStateError' });
}, 60_000);

test.each([false, true])(
  'a pause ends a run after its step, however long the interval is; worker: %s',
  async (worker) => {
    // the build, because only there the worker file is beside the scripts
    const { Trainer: Built } = await import('../../dist/train.js');
    const trainer = await (worker ? Built : Trainer).create({ pairs, config, worker });
    trainers.push(trainer);
    const reports = [];
    const running = trainer.run({ interval: 600_000, onProgress: (progress) => reports.push(progress) });
    setTimeout(() => trainer.pause(), 200);
    const { step } = await running;
    expect(step).toBeGreaterThan(0);
    expect(reports).toHaveLength(1);
    expect((await trainer.run({ steps: 2 })).step).toBe(step + 2); // only that run was paused
  },
  30_000,
);

test('refuses numbers of another type, and works afterwards', async () => {
  const trainer = await create();
  for (const refused of [
    () => trainer.setLearningRate(10n),
    () => trainer.setLearningRate('1'),
    () => trainer.run({ steps: 5n }),
    () => trainer.run({ interval: '9' }),
    () => trainer.translate('abc', { maxLength: 2n }),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
  expect((await trainer.run({ steps: 1 })).step).toBe(1);
  expect((await trainer.trace('abcabc', { maxLength: 3 })).target.pieces.length).toBeLessThan(4);
  await trainer[Symbol.asyncDispose]();
  await expect(trainer.run()).rejects.toMatchObject({ name: 'InvalidStateError' });
});

test('reports a loss that is not finite, and continues with a lower rate', async () => {
  const trainer = await create({
    config: {
      ...config,
      optimiser: { clip: 0, decay: 1, beta1: 0, beta2: 0 },
      schedule: { kind: 'constant', peak: 10, warmup: 0 },
    },
  });
  await expect(trainer.run({ steps: 3000 })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    where: 'schedule.peak',
  });
}, 60_000);

test.each([
  [{ pairs: [] }, 'INVALID_ARGUMENT'],
  [{ pairs: 7 }, 'INVALID_ARGUMENT'],
  [{ pairs: [['a']] }, 'INVALID_ARGUMENT'],
  [{ pairs: [['', '']] }, 'INVALID_ARGUMENT'],
  [{ pairs, config: { stepz: 1 } }, 'INVALID_FILE'],
  [{ pairs, config: { out: 'x' } }, 'INVALID_FILE'],
  [{ pairs, config: { model: { d_model: 33 } } }, 'INVALID_FILE'],
  [{ pairs, config: { batch: { longest: 5000 } } }, 'INVALID_ARGUMENT'],
])('refuses %j', async (options, code) => {
  await expect(Trainer.create(options)).rejects.toMatchObject({ code });
});

test('learns from emoji, lone surrogates, NUL, tabs and a text of 100,000 characters', async () => {
  const strange = [
    ['😀 a', 'a 😀'],
    ['\ud800', '\udfff'],
    ['a\0b', 'b\0a'],
    ['a\tb\nc', 'c b a'],
    ['x'.repeat(100_000), 'y'],
  ];
  const trainer = await create({
    pairs: [...pairs, ...strange],
    config: { ...config, batch: { ...config.batch } },
  });
  expect((await trainer.run({ steps: 3 })).step).toBe(3);
  expect(typeof (await trainer.translate('😀\ud800\0'))).toBe('string');
}, 60_000);

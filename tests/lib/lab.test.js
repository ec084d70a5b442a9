// The parts of the Lab that need no browser: tasks, links, texts, snapshots and zips; and that a seed repeats a training.
import { createHash } from 'node:crypto';
import { frenchNumber } from '../../web/demo/lab/french.js';
import { gradientText, slicesOf } from '../../web/demo/lab/gradient.js';
import { hullOf } from '../../web/demo/lab/hull.js';
import { Learner } from '../../web/demo/lab/learner.js';
import { readChoice, readLink, setupOf, writeChoice, writeLink } from '../../web/demo/lab/link.js';
import { configOf, kDefaults, nameOf, namesOf } from '../../web/demo/lab/models.js';
import { presets } from '../../web/demo/lab/presets.js';
import { Snapshots } from '../../web/demo/lab/snapshots.js';
import { drawData, ownData, tasks } from '../../web/demo/lab/tasks.js';
import { zipOf } from '../../web/demo/lab/zip.js';
import { Translator } from '../../web/lib/index.js';

test.each([
  [0, 'zéro'],
  [1, 'un'],
  [17, 'dix-sept'],
  [21, 'vingt et un'],
  [22, 'vingt-deux'],
  [61, 'soixante et un'],
  [70, 'soixante-dix'],
  [71, 'soixante et onze'],
  [77, 'soixante-dix-sept'],
  [80, 'quatre-vingts'],
  [81, 'quatre-vingt-un'],
  [90, 'quatre-vingt-dix'],
  [91, 'quatre-vingt-onze'],
  [99, 'quatre-vingt-dix-neuf'],
  [100, 'cent'],
  [101, 'cent un'],
  [200, 'deux cents'],
  [280, 'deux cent quatre-vingts'],
  [999, 'neuf cent quatre-vingt-dix-neuf'],
  [1000, 'mille'],
  [1001, 'mille un'],
  [2000, 'deux mille'],
  [80_000, 'quatre-vingt mille'],
  [200_200, 'deux cent mille deux cents'],
])('%i is %s', (number, words) => expect(frenchNumber(number)).toBe(words));

/** The right answer of each task, computed in another way than by the task itself. */
const right = {
  copy: (source) => source,
  reversal: (source) => source.split('').reverse().join(''),
  sorting: (source) => source.split('').sort().join(''),
  numbers: (source) =>
    source
      .split(' ')
      .sort((a, b) => Number(a) - Number(b))
      .join(' '),
  addition: (source) =>
    String(source.split('+').reduce((sum, n) => sum + Number(n), 0))
      .split('')
      .reverse()
      .join(''),
  dates: (source) => {
    const words = source.replace(/,|of /g, '').split(' ');
    const day = words.find((word) => /^\d{1,2}(st|nd|rd|th)?$/.test(word));
    const [month, year] = [words.find((word) => /^[A-Z]/.test(word)), words.at(-1)];
    return new Date(`${parseInt(day, 10)} ${month} ${year} UTC`).toISOString().slice(0, 10);
  },
  french: (source) => frenchNumber(Number(source)),
  hull: null, // below
};

test.each(Object.keys(tasks))(
  '%s: pairs are right, different, the same for a seed, and not those of another',
  (name) => {
    const choice = { seed: 4, pairs: 500 };
    const data = drawData(name, choice);
    expect(data.unseen).toHaveLength(60);
    expect(data.pairs.length).toBeGreaterThan(400);
    const all = [...data.pairs, ...data.unseen];
    expect(new Set(all.map(([source]) => source)).size).toBe(all.length);
    if (right[name])
      for (const [source, target] of all) expect([source, target]).toEqual([source, right[name](source)]);
    expect(drawData(name, choice)).toEqual(data);
    expect(drawData(name, { ...choice, seed: 5 }).pairs).not.toEqual(data.pairs);
    const digest = createHash('sha256').update(JSON.stringify(data)).digest('hex');
    expect([...Object.keys(right)]).toContain(name);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  },
);

test('ordinals of days', () => {
  const { pairs } = drawData('dates', { seed: 2, pairs: 4000 });
  const found = new Set(pairs.flatMap(([source]) => /\d+(st|nd|rd|th)/.exec(source)?.[0] ?? []));
  expect([...found].toSorted((a, b) => parseInt(a, 10) - parseInt(b, 10)).join(' ')).toBe(
    '1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th 13th 14th 15th 16th 17th 18th 19th 20th 21st 22nd 23rd 24th 25th 26th 27th 28th 29th 30th 31st',
  );
});

test('a hull holds every point and turns left at each corner', () => {
  for (const [source, target] of drawData('hull', { seed: 3, pairs: 300 }).pairs) {
    const points = source.split(' ').map((word) => word.split(',').map(Number));
    const corners = target.split(' ').map((word) => word.split(',').map(Number));
    corners.forEach(([ax, ay], i) => {
      const [bx, by] = corners[(i + 1) % corners.length];
      for (const [x, y] of points) expect((bx - ax) * (y - ay) - (by - ay) * (x - ax)).toBeGreaterThanOrEqual(0);
    });
    const places = corners.map((corner) => source.split(' ').indexOf(corner.join(',')));
    expect(places[0]).toBe(Math.min(...places));
  }
  expect(
    hullOf([
      [0, 0],
      [2, 0],
      [1, 1],
      [1, 3],
    ]),
  ).toEqual([0, 1, 3]);
});

test('pairs that a user types are read', () => {
  const lines = Array.from({ length: 40 }, (_, i) => [`w${i}`, `${i}w`]);
  for (const mark of ['\t', ' -> ', ' = ', '  ']) {
    const { pairs, unseen } = ownData(lines.map((pair) => pair.join(mark)).join('\n\n'), 1);
    expect(unseen).toHaveLength(4);
    expect([...pairs, ...unseen].toSorted()).toEqual(lines.toSorted());
  }
  // A line that occurs twice is not both trained on and measured.
  const twice = ownData([...lines, ...lines].map((pair) => pair.join('\t')).join('\n'), 1);
  const held = new Set(twice.unseen.map(([source]) => source));
  expect(twice.pairs.filter(([source]) => held.has(source))).toEqual([]);
  expect(twice.unseen).toHaveLength(8);
  expect(() => ownData('a\tb', 1)).toThrow('ten pairs');
  expect(() => ownData('a\tb\nnothing', 1)).toThrow('Line 2');
  expect(() => ownData('x'.repeat(2_000_001), 1)).toThrow('2 million');
});

test('a link restores the experiment; an invalid one opens the first experiment', () => {
  const choices = [
    kDefaults.plain,
    kDefaults.bahdanau,
    { ...kDefaults.luong, score: 'dot', window: 'local-p' },
    { ...kDefaults.luong, selection: 'hard' },
    { ...kDefaults.transformer, layers: 2, heads: 8, positions: false, scaled: false },
    kDefaults.pointer,
  ];
  for (const choice of choices) {
    expect(readChoice(writeChoice(choice))).toEqual(choice);
    expect(nameOf(choice)).toMatch(/width 48$/);
    const setup = {
      task: 'copy',
      lengths: [3, 9],
      seed: 7,
      rate: 0.002,
      models: [choice, kDefaults.plain],
      preset: null,
      own: '',
    };
    expect(readLink(writeLink(setup))).toEqual(setup);
  }
  for (const preset of presets) expect(readLink(writeLink(setupOf(preset)))).toEqual(setupOf(preset));
  const own = { ...setupOf(presets[0]), task: 'own', lengths: undefined, preset: null, own: 'a\tb\nc\td' };
  expect(readLink(writeLink(own))).toEqual(own);
  const first = setupOf(presets[0]);
  for (const hash of ['', '#', '#task=', '#task=fly', '#experiment=nothing', '#task=__proto__']) {
    expect(readLink(hash)).toEqual(first);
  }
  for (const model of [
    '',
    'luong',
    'luong.48.dot',
    'luong.48.dot.local-p.hard',
    'luong.48.dot.global.harder',
    'transformer.48.9.1',
    'bahdanau.47',
    'constructor.48',
    'plain.1e1',
  ]) {
    expect(readChoice(model)).toBeNull();
  }
  expect(readLink('#task=copy&seed=-3&rate=hot&lengths=9-3')).toMatchObject({ seed: 1, rate: 0.005, lengths: [2, 16] });
});

test('snapshots stay within their memory limit, and the first and the last are kept', () => {
  const snapshots = new Snapshots(1000);
  const checkpoint = (bytes) => ({ place: '', tensors: new Uint8Array(bytes) });
  for (let step = 0; step <= 5000; step += 10) {
    snapshots.keep(step, checkpoint(70));
    expect(snapshots.bytes).toBeLessThanOrEqual(1000);
    expect([snapshots.steps[0], snapshots.steps.at(-1)]).toEqual([0, step]);
  }
  expect(snapshots.steps.length).toBeGreaterThan(5);
  expect(snapshots.at(5000)).not.toBeNull();
  expect(snapshots.at(5001)).toBeNull();
  snapshots.forgetAfter(20);
  expect(snapshots.steps).toEqual([0]);
  const large = new Snapshots(10);
  for (const step of [0, 1, 2, 3]) large.keep(step, checkpoint(100));
  expect(large.steps).toEqual([0, 3]);
});

const learners = [];
const learner = async (choice, data, seed = 1) => {
  learners.push(await Learner.create(choice, data, { seed, rate: 0.005, worker: false }));
  await learners.at(-1).begin();
  return learners.at(-1);
};
afterEach(() => learners.splice(0).forEach((one) => one.destroy()));
const to = async (one, step) => {
  while (one.step < step) await one.advance(step);
};
const bits = async (one) => Buffer.from((await one.checkpoint()).tensors).toString('base64');

test('a seed repeats a training bit for bit, whatever pauses, traces and returns to checkpoints there are', async () => {
  const data = drawData('reversal', { seed: 1, lengths: [2, 5], pairs: 400, unseen: 5 });
  const choice = { ...kDefaults.luong, width: 16 };
  const [first, second] = [await learner(choice, data), await learner(choice, data)];
  await to(first, 60);
  for (const step of [7, 20, 33, 60]) {
    await to(second, step);
    await second.show(data.unseen[0]);
  }
  second.points.forEach(({ loss, accuracy }, i) => {
    expect(accuracy).toBe(first.points[i].accuracy);
    if (i > 0) expect(loss).toBeCloseTo(first.points[i].loss, 9); // a mean of means
  });
  expect(first.points.map(({ step }) => step)).toEqual([0, 20, 40, 60]);
  expect(await bits(second)).toBe(await bits(first));

  const before = await first.show(data.unseen[0]);
  const then = await first.atStep(20, () => first.show(data.unseen[0]));
  expect(then.trace.cross.data).not.toEqual(before.trace.cross.data);
  expect(await first.show(data.unseen[0])).toEqual(before);
  await first.goBack(20);
  expect(first.points).toHaveLength(2);
  await to(first, 60);
  expect(await bits(first)).toBe(await bits(second));
  expect(await bits(await learner(choice, data, 2))).not.toBe(await bits(await learner(choice, data)));
}, 120_000);

test.each(
  Object.entries({
    ...kDefaults,
    hard: { ...kDefaults.luong, selection: 'hard' },
    local: { ...kDefaults.luong, window: 'local-p' },
    two: { ...kDefaults.transformer, layers: 2, heads: 2 },
  }),
)(
  '%s: a seed repeats a training bit for bit, and another one does not',
  async (_, choice) => {
    const data = drawData(choice.kind === 'pointer' ? 'numbers' : 'reversal', { seed: 1, lengths: [3, 5], pairs: 200 });
    const small = { ...choice, width: 16 };
    const [first, second, other] = [
      await learner(small, data),
      await learner(small, data),
      await learner(small, data, 2),
    ];
    await to(first, 30);
    for (const step of [1, 13, 30]) await to(second, step);
    await to(other, 30);
    expect(await bits(second)).toBe(await bits(first));
    expect(await bits(other)).not.toBe(await bits(first));
  },
  60_000,
);

test.each(
  Object.entries({
    ...kDefaults,
    hard: { ...kDefaults.luong, selection: 'hard' },
    still: { ...kDefaults.transformer, positions: false, scaled: false },
  }),
)(
  '%s learns, is shown, and is saved as a zip that loads',
  async (name, choice) => {
    const pointer = choice.kind === 'pointer';
    const data = drawData(pointer ? 'numbers' : 'copy', { seed: 1, lengths: [3, 4], pairs: 200, unseen: 4 });
    const one = await learner({ ...choice, width: 16 }, data);
    await to(one, 20);
    expect(one.points.at(-1).loss).toBeGreaterThan(0);
    const { written, trace } = await one.show(data.unseen[0]);
    expect(written).toBe(await one.write(data.unseen[0][0]));
    expect(trace.cross.shape).toHaveLength(4);
    const zip = zipOf(await one.files());
    if (pointer) return expect(zip.size).toBeGreaterThan(1000);
    const model = new File([zip], 'model.zip');
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model, beam: 1 });
    const [source] = data.unseen[0];
    // The file has 16 bits for each weight. After so few steps the choice between two close pieces may differ.
    const { target } = await translator.trace({ source, target: data.unseen[0][1] });
    expect(target.pieces.join('').replace('</s>', '')).toBe(data.unseen[0][1]);
    translator.destroy();
  },
  60_000,
);

test.each(['luong', 'hard', 'transformer'])(
  '%s: gradients of weights have the trace’s places and say what they mean',
  async (name) => {
    const data = drawData('copy', { seed: 1, lengths: [3, 4], pairs: 200, unseen: 4 });
    const choice = name === 'hard' ? { ...kDefaults.luong, selection: 'hard' } : kDefaults[name];
    const [one, other] = [await learner({ ...choice, width: 16 }, data), await learner({ ...choice, width: 16 }, data)];
    await to(one, 20);
    const [pair] = data.unseen;
    const found = await one.gradient(pair);
    // The probabilities of the trace are over the pieces that may be written; the loss is over all pieces.
    const over = found.maps.loss + found.trace.target.logProbs.reduce((sum, x) => sum + x, 0);
    expect(over).toBeGreaterThan(0);
    expect(over / found.trace.target.pieces.length).toBeLessThan(0.15);
    for (const kind of ['cross', ...(name === 'transformer' ? ['encoderSelf', 'decoderSelf'] : [])]) {
      expect(found.maps[kind].shape).toEqual(found.trace[kind].shape);
      const { weights, gradient } = slicesOf(found, { kind, layer: 0, head: 0 });
      expect(gradient).toMatchObject({ signed: true, queries: weights.queries, keys: weights.keys });
      expect(gradient.weights.some((x) => x !== 0)).toBe(true);
    }
    const slices = slicesOf(found, { kind: 'cross', layer: 0, head: 0 });
    const text = gradientText(slices, { query: 1, key: 0 }, name === 'hard');
    expect(text).toContain(name === 'hard' ? 'learns from rewards' : 'd loss / d score is ');
    expect(text).toContain(slices.gradient.weights[pair[0].length + 1] < 0 ? 'more probable' : 'less probable');
    expect(gradientText(slices, null, false)).toContain('Point at a cell');
    // Measuring does not change the model.
    await to(one, 40);
    await to(other, 40);
    expect(await bits(one)).toBe(await bits(other));
  },
  120_000,
);

test('models side by side are named by their differences', () => {
  const { transformer, plain, bahdanau } = kDefaults;
  expect(namesOf([{ ...transformer, positions: false }, transformer])).toEqual(['no positions', 'positions']);
  expect(namesOf([plain, bahdanau])).toEqual(['no attention', 'Bahdanau']);
  expect(namesOf([plain, plain])).toEqual([nameOf(plain), nameOf(plain)]);
});

test('the engine accepts the configs of every width and kind', async () => {
  expect(configOf(kDefaults.plain, { seed: 1, rate: 0.01 }).model).not.toHaveProperty('score');
  expect(configOf({ ...kDefaults.luong, window: 'local-m' }, { seed: 1, rate: 0.01 }).model).toMatchObject({
    ...{ score: 'general', window: 'local-m', half_width: 3 },
  });
});

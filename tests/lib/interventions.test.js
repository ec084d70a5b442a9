// Interventions in JavaScript, and the questions that they answer.
import { attentionFlow, attentionRollout, headImportance, neededWords } from '../../web/lib/explain/index.js';
import { Encoder, Generator, load } from '../../web/lib/models/index.js';
import { at, create, rejection } from './support.js';

const kText = 'My brother lives in a big white house.';
const kPair = { source: 'I love you.', target: "Je t'aime." };
const kOff = [{ kind: 'off', attention: 'cross', layer: 1 }];

let plain, translator;
beforeAll(async () => {
  [plain, translator] = [await create(), await create({ interventions: true })];
});
afterAll(() => [plain, translator].forEach((one) => one?.destroy()));

test('without interventions every number is that of the plain engine', async () => {
  const [a, b] = [await plain.trace(kText), await translator.trace(kText)];
  expect(b.target.text).toBe(a.target.text);
  expect(b.target.logProbs).toEqual(a.target.logProbs);
  expect(b.cross.data).toEqual(a.cross.data);
  expect(b).not.toHaveProperty('interventions');
  expect([plain.info.interventions, translator.info.interventions]).toEqual([false, true]);
});

test('interventions change translate, search, trace and score', async () => {
  const text = await translator.translate(kText, { interventions: kOff });
  expect(text).not.toBe(await plain.translate(kText));
  const search = await translator.search(kText, { interventions: kOff });
  expect(search.hypotheses[0].text).toBe(text);
  const trace = await translator.trace(kText, { interventions: kOff });
  expect(trace.target.text).toBe(text);
  expect(trace.interventions).toEqual(kOff);
  const second = trace.cross.data.subarray(trace.cross.data.length / trace.cross.shape[0]);
  expect(second.every((weight) => weight === 0)).toBe(true);
  const [with_, without] = [
    await translator.score(...Object.values(kPair), { interventions: kOff }),
    await plain.score(...Object.values(kPair)),
  ];
  expect(with_.score).toBeLessThan(without.score - 1);
});

test('weights that are set appear in the trace', async () => {
  const interventions = [
    { kind: 'set', attention: 'cross', head: 2, queries: [1], keys: [0, 3], weights: [0.25, 0.75] },
  ];
  const { cross } = await translator.trace(kPair, { interventions });
  const [layers, heads, targets, sources] = cross.shape;
  for (let layer = 0; layer < layers; ++layer) {
    const from = ((layer * heads + 2) * targets + 1) * sources;
    const wanted = new Array(sources).fill(0);
    [wanted[0], wanted[3]] = [0.25, 0.75];
    expect(Array.from(cross.data.subarray(from, from + sources))).toEqual(wanted);
  }
});

test('a change applies to one sentence only, also in its trace', async () => {
  const text = 'Where is the station? I love you. Where is the station?';
  const interventions = [{ ...kOff[0], sentence: 1 }];
  const sentences = async (options) =>
    (await translator.translateParts(text, options)).filter(({ sentence }) => sentence).map((part) => part.translation);
  const [usual, changed] = [await sentences({}), await sentences({ interventions })];
  expect([changed[0], changed[2]]).toEqual([usual[0], usual[2]]);
  expect(changed[1]).not.toBe(usual[1]);
  const traced = async (sentence) => (await translator.trace(text, { sentence, interventions })).target.text;
  expect([await traced(0), await traced(1)]).toEqual(changed.slice(0, 2));
});

test.each([
  [[{ kind: 'of' }], 'INVALID_ARGUMENT', 'interventions[0].kind'],
  [[{ kind: 'off', attention: 'cross', layer: 2 }], 'INVALID_ARGUMENT', 'interventions[0].layer'],
  [{ kind: 'off' }, 'INVALID_ARGUMENT', 'interventions'],
  ['off', 'INVALID_ARGUMENT', 'interventions'],
  [[{ kind: 'off' }, { kind: 'off', layer: 1e9 }], 'INVALID_ARGUMENT', 'interventions[1].layer'],
  [[{ kind: 'off', head: -1 }], 'INVALID_ARGUMENT', 'interventions[0].head'],
  [[{ kind: 'off', keys: [] }], 'INVALID_ARGUMENT', 'interventions[0].keys'],
  // JSON has no such numbers: as null they would mean every layer, every head, or no value.
  [[{ kind: 'off', layer: NaN }], 'INVALID_ARGUMENT', 'interventions[0].layer'],
  [[{ kind: 'off', head: Infinity }], 'INVALID_ARGUMENT', 'interventions[0].head'],
  [[{ kind: 'add', value: NaN }], 'INVALID_ARGUMENT', 'interventions[0].value'],
  [[{ kind: 'add', value: [[1, NaN]] }], 'INVALID_ARGUMENT', 'interventions[0].value'],
  [[{ kind: 'set', weights: Float32Array.of(NaN, 1) }], 'INVALID_ARGUMENT', 'interventions[0].weights'],
  [[{ kind: 'set', weights: Float32Array.of(0.5, 0.4) }], 'INVALID_ARGUMENT', 'interventions[0].weights'],
  [[{ kind: 'off', layer: () => 1 }], 'INVALID_ARGUMENT', 'interventions[0].layer'],
  [() => [{ kind: 'off' }], 'INVALID_ARGUMENT', 'interventions'],
  [1, 'INVALID_ARGUMENT', 'interventions'],
  [new Array(10_000).fill({ kind: 'off' }), 'LIMIT_EXCEEDED', 'interventions'],
])('%# is refused with its place in the list', async (interventions, code, where) => {
  for (const call of ['translate', 'search', 'trace']) {
    expect(await rejection(translator[call](kText, { interventions }))).toMatchObject({ code, where });
  }
  expect(await rejection(translator.score('a', 'b', { interventions }))).toMatchObject({ code, where });
  expect(await translator.translate('I love you.')).toBe("Je t'aime.");
});

test('values that JSON does not have are refused too', async () => {
  const circle = { kind: 'off' };
  circle.layer = circle;
  for (const interventions of [[circle], [{ kind: 'off', layer: 1n }]]) {
    const refused = await rejection(translator.translate(kText, { interventions }));
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', where: expect.stringMatching(/^interventions/) });
  }
});

test('typed arrays, such as rows of a trace, are accepted', async () => {
  const { cross } = await translator.trace(kPair);
  const [, , targets, sources] = cross.shape;
  const row = cross.data.subarray(2 * sources, 3 * sources); // of the third piece, by the first head
  const place = { kind: 'set', attention: 'cross', layer: 0, head: 0 };
  const { cross: changed, interventions } = await translator.trace(kPair, {
    interventions: [{ ...place, weights: row, queries: Uint32Array.of(0, 1) }],
  });
  expect(interventions).toEqual([{ ...place, weights: [...row], queries: [0, 1] }]);
  for (const t of [0, 1]) {
    changed.data.subarray(t * sources, (t + 1) * sources).forEach((weight, s) => expect(weight).toBeCloseTo(row[s], 6));
  }
  expect(targets).toBeGreaterThan(2);
});

test('an empty list changes nothing, and neither do places that the sentence does not have', async () => {
  const usual = await plain.translate(kText);
  for (const interventions of [
    [],
    [{ kind: 'hide', queries: [999_999], keys: [0] }],
    [{ kind: 'hide', keys: [999_999] }],
    [{ kind: 'off', sentence: 7 }],
  ]) {
    expect(await translator.translate(kText, { interventions })).toBe(usual);
  }
});

test('a translator that was not created for them refuses them', async () => {
  const refused = { code: 'UNSUPPORTED', message: expect.stringContaining('interventions: true') };
  expect(await rejection(plain.translate(kText, { interventions: kOff }))).toMatchObject(refused);
  expect(await rejection(headImportance(plain, kPair))).toMatchObject(refused);
  expect(await rejection(create({ interventions: true, workers: 2 }))).toMatchObject({ where: 'interventions' });
  const two = create({ interventions: true, model: [at('web/models/en-fr'), at('web/models/en-fr')] });
  expect(await rejection(two)).toMatchObject({ where: 'interventions' });
});

describe('questions', () => {
  test('the importance of a head is what its absence costs', async () => {
    const heads = await headImportance(translator, kPair);
    expect(heads.encoder.shape).toEqual([4, 8]);
    expect(heads.decoder.shape).toEqual([2, 8]);
    expect(heads.cross.shape).toEqual([2, 8]);
    expect(heads.score).toBeCloseTo((await plain.score(...Object.values(kPair))).score, 4);
    for (const [attention, layer, head] of [
      ['encoder', 0, 0],
      ['encoder', 3, 7],
      ['decoder', 1, 2],
      ['cross', 1, 5],
    ]) {
      const interventions = [{ kind: 'off', attention, layer, head }];
      const { score } = await translator.score(...Object.values(kPair), { interventions });
      expect(heads[attention].data[layer * 8 + head]).toBeCloseTo(heads.score - score, 3);
    }
  });

  test('the need of a word is the cost of hiding it', async () => {
    const { shape, data, source, target } = await neededWords(translator, { source: kPair.source });
    expect(target.text).toBe(kPair.target);
    expect(shape).toEqual([target.pieces.length, source.pieces.length]);
    const whole = (await translator.score(kPair.source, kPair.target)).logProbs;
    for (const s of source.pieces.keys()) {
      const interventions = [{ kind: 'hide', attention: 'cross', keys: [s] }];
      const { logProbs } = await translator.score(kPair.source, kPair.target, { interventions });
      for (const t of target.pieces.keys()) {
        expect(data[t * shape[1] + s]).toBeCloseTo(whole[t] - logProbs[t], 3);
      }
    }
  });

  test('rollout and flow describe the encoder', async () => {
    for (const view of [attentionRollout, attentionFlow]) {
      const { shape, data, source } = await view(translator, kText);
      expect(shape).toEqual([source.pieces.length, source.pieces.length]);
      expect(data.every((share) => share >= 0 && share <= 1.00001)).toBe(true);
      expect(data[0]).toBeGreaterThan(1 / 16); // the residuals of four layers
    }
    const { shape, data } = await attentionRollout(translator, kText);
    for (let row = 0; row < shape[0]; ++row) {
      const sum = data.subarray(row * shape[1], (row + 1) * shape[1]).reduce((a, b) => a + b, 0);
      expect(sum).toBeCloseTo(1, 5);
    }
    const error = await rejection(attentionFlow(translator, 'a b c d e f g h '.repeat(40)));
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('a call can be aborted, and the next one works', async () => {
    const signal = AbortSignal.abort('enough');
    expect(await rejection(headImportance(translator, kPair, { signal }))).toBe('enough');
    expect((await headImportance(translator, kPair)).cross.data).toHaveLength(16);
  });
});

describe('models of one text', () => {
  const folder = (name) => at(`tests/goldens/one-sided/${name}`);
  const off = [{ kind: 'off' }];

  test('an encoder takes interventions', async () => {
    const encoder = await Encoder.load(folder('bert-masked'));
    const text = 'The cat sleeps on the [MASK].';
    const [usual] = await encoder.fillMask(text);
    const [changed] = await encoder.fillMask(text, { interventions: off });
    expect(changed.guesses[0].probability).not.toBe(usual.guesses[0].probability);
    const trace = await encoder.trace(text, { interventions: off });
    expect(trace.encoderSelf.data.every((weight) => weight === 0)).toBe(true);
    expect(trace.interventions).toEqual(off);
    const where = 'interventions[0].attention';
    const error = await rejection(encoder.fillMask(text, { interventions: [{ kind: 'off', attention: 'cross' }] }));
    expect(error).toMatchObject({ code: 'UNSUPPORTED', where });
    encoder.destroy();
  });

  test('a generator takes interventions', async () => {
    const generator = await Generator.load(folder('gpt2'));
    const given = { maxLength: 4, temperature: 0 };
    const usual = await generator.generate('Where is', given);
    const changed = await generator.generate('Where is', { ...given, interventions: off });
    expect(changed.logProbs[0]).not.toBe(usual.logProbs[0]);
    const [next, changedNext] = [
      await generator.next('Where is'),
      await generator.next('Where is', { interventions: off }),
    ];
    expect(changedNext.logProbs[0]).not.toBe(next.logProbs[0]);
    const refused = rejection(generator.next('Where is', { interventions: [{ kind: 'off', layer: NaN }] }));
    expect(await refused).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'interventions[0].layer' });
    const trace = await generator.trace('Where is', { interventions: off });
    expect(trace.decoderSelf.data.every((weight) => weight === 0)).toBe(true);
    expect(trace.interventions).toEqual(off);
    generator.destroy();
  });

  test('a translator from load() takes interventions', async () => {
    const loaded = await load(at('web/models/en-fr'), { sourceLanguage: 'en', targetLanguage: 'fr' });
    expect(await loaded.translate(kText, { interventions: kOff })).toBe(
      await translator.translate(kText, { interventions: kOff }),
    );
    loaded.destroy();
  });
});

import { splitSentences } from '../../web/lib/index.js';
import { beams, kMayDiffer, readTranslations, translations } from '../translations.js';
import { at, create, floatFolder, rejection } from './support.js';

let greedy;
let beam;
beforeAll(async () => {
  greedy = await create({ beam: 1 });
  beam = await create({ beam: beams });
});
afterAll(() => {
  greedy.destroy();
  beam.destroy();
});

describe.each([
  ['the default model, of 8 bits', 'en-fr-int8', undefined],
  ['the model of floats that it was made from', 'en-fr', floatFolder],
])('PyTorch agrees with %s', (_, name, model) => {
  const goldens = readTranslations(name);

  test.each([
    ['greedy', 1],
    ['beam', goldens.beams],
  ])('in %s search', async (search, beam) => {
    const translator = await create({ model, beam });
    const ours = [];
    for (const { source } of goldens.translations)
      ours.push(await translator.translate(source, { split: false, copy: false }));
    const { differing, wrong } = goldens.compare(search, ours);
    expect(wrong).toEqual([]);
    expect(differing.length).toBeLessThanOrEqual(kMayDiffer);
    translator.destroy();
  });
});

describe('a text', () => {
  test('of several sentences is translated sentence by sentence, with its white space', async () => {
    const text = '  How are you?\n\n\tI am tired.  Where is the station?\u00a0\r\n';
    const parts = splitSentences(text, 'en');
    const alone = await Promise.all(parts.map(({ text, sentence }) => (sentence ? greedy.translate(text) : text)));
    expect(parts.filter((part) => part.sentence)).toHaveLength(3);
    expect(await greedy.translate(text)).toBe(alone.join(''));
  });

  test('that is empty or white space is itself', async () => {
    for (const text of ['', ' ', '\n\n\t', '\u00a0\u3000']) expect(await greedy.translate(text)).toBe(text);
  });

  test('has always the same translation, alone or with other texts', async () => {
    const texts = translations.slice(0, 8).map(({ source }) => source);
    const alone = [];
    for (const text of texts) alone.push(await beam.translate(text));
    expect(await Promise.all(texts.map((text) => beam.translate(text)))).toEqual(alone);
    expect((await beam.translate(texts.join('\n'))).split('\n')).toEqual(alone);
  });

  test('may contain any characters', async () => {
    const odd = [
      '\0',
      'a\0b',
      '\u{1F600}\u{1F468}\u200d\u{1F469}\u200d\u{1F467}',
      '\ufeff',
      '\u202e\u0301',
      '<b>&amp;</b>',
    ];
    for (const text of odd) expect(typeof (await greedy.translate(text))).toBe('string');
  });

  test('with lone surrogates is one with U+FFFD in their place', async () => {
    expect(await greedy.translate('I see \ud800 here.')).toBe(await greedy.translate('I see \ufffd here.'));
    expect(await greedy.translate('\udc00\ud83d')).toBe(await greedy.translate('\ufffd\ufffd'));
  });

  test('of 100,000 characters is translated whole', async () => {
    const lines = translations.map(({ source }) => source);
    const once = (await greedy.translate(lines.join('\n'))).split('\n');
    const count = Math.ceil(1e5 / (lines.join('\n').length + 1));
    const text = Array.from({ length: count }, () => lines.join('\n')).join('\n');
    expect(text.length).toBeGreaterThan(1e5);
    const translated = (await greedy.translate(text)).split('\n');
    expect(translated).toHaveLength(count * lines.length);
    expect(translated.slice(0, lines.length)).toEqual(once);
    expect(translated.slice(-lines.length)).toEqual(once);
  }, 240_000);

  test('without a sentence end is cut, and no part is lost', async () => {
    const text = 'I am here, and '.repeat(100);
    const parts = splitSentences(text, 'en', greedy.info.maxLength - 2);
    expect(parts.filter((part) => part.sentence).length).toBeGreaterThan(2);
    const alone = await Promise.all(parts.map(({ text, sentence }) => (sentence ? greedy.translate(text) : text)));
    expect(await greedy.translate(text)).toBe(alone.join(''));
  });

  test('past the quota is refused, and the error has both sizes', async () => {
    const error = await rejection(greedy.translate('a'.repeat(greedy.inputQuota + 1)));
    expect(error).toMatchObject({ name: 'QuotaExceededError', quota: 1_000_000, requested: 1_000_001 });
    expect(error.cause).toMatchObject({ name: 'QkvError', code: 'LIMIT_EXCEEDED' });
    expect(await greedy.measureInputUsage('a\u{1F600}')).toBe(3);
  });

  test('must be a string', async () => {
    for (const text of [undefined, null, 1, ['a']]) {
      expect(await rejection(greedy.translate(text))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'text' });
    }
  });
});

test('a beam is a whole number that the engine takes', async () => {
  for (const wrong of [-1, 1.5, '4', NaN, 65, 2 ** 32]) {
    expect(await rejection(create({ beam: wrong }))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'beam' });
  }
});

test('info describes the engine and the model', () => {
  expect(beam.info).toMatchObject({ name: 'en-fr', dModel: 256, encoderLayers: 4, decoderLayers: 2, beam: 4 });
  expect(beam.info).toMatchObject({ engine: 'baseline', worker: false, parameters: 7_321_920, vocabularySize: 8000 });
  expect(greedy.info.beam).toBe(1);
  expect(Object.isFrozen(greedy.info)).toBe(true);
});

test('the memory stops growing after the first round', async () => {
  const lines = translations.map(({ source }) => source).join('\n');
  await greedy.translate(lines);
  await greedy.trace(translations[0].source);
  const first = await greedy.memoryBytes();
  for (let round = 0; round < 4; ++round) {
    await greedy.translate(lines);
    await greedy.trace(translations[round].source);
  }
  expect(await greedy.memoryBytes()).toBe(first);
}, 120_000);

test("the model's credits are in its folder", async () => {
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(at('web/models/en-fr/README.md'), 'utf8')).toMatch(/tatoeba\.org \(CC BY 2\.0 FR\)/);
});

test('no call writes more pieces than maxLength', async () => {
  const translator = await create();
  const text = 'The old man opened the little window.';
  const parts = await translator.translateParts(`${text} ${text}`, { maxLength: 4 });
  expect(parts.filter(({ sentence }) => sentence).map(({ cut }) => cut)).toEqual(['length', 'length']);
  const streamed = [];
  for await (const part of translator.translateStreaming(text, { maxLength: 4 })) streamed.push(part);
  expect(streamed.join('')).toBe(parts[0].translation);
  expect((await translator.trace(text, { maxLength: 4 })).target.pieces).toHaveLength(4);
  for (const { pieces } of (await translator.search(text, { maxLength: 4 })).hypotheses) {
    expect(pieces.length).toBeLessThan(5);
  }
  expect(await translator.translate(text, { maxLength: 100_000 })).toBe(await translator.translate(text));
  for (const maxLength of [0, 1.5, 2 ** 32, '4', 4n]) {
    expect((await rejection(translator.translate(text, { maxLength }))).where).toBe('maxLength');
  }
  translator.destroy();
});

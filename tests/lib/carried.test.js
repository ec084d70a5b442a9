// Texts that are carried through a translation, from JavaScript: the options and their errors, the trace's spans, the
// warnings.
import { readFileSync } from 'node:fs';
import { readCarry, withCarried } from '../../web/lib/text/carry-options.js';
import { at, create, rejection } from './support.js';

const kLanguages = { sourceLanguage: 'en', targetLanguage: 'fr' };
/** A sentence as the engine takes it. */
const given = (text, options) => withCarried(text, readCarry(options, kLanguages).carry);

describe('keep and glossary', () => {
  test('find terms as whole words; of overlapping terms the longest is used', () => {
    const options = { keep: ['New York', 'York', 'Ann'], glossary: { 'New York Times': 'NYT', cost: '<b>prix</b>' } };
    expect(given('New York Times in New York, Anna: costs cost.', options)).toEqual([
      '',
      'New York Times',
      'NYT',
      ' in ',
      'New York',
      'New York',
      ', Anna: costs ',
      'cost',
      '<b>prix</b>',
      '.',
    ]);
    expect(given('nothing', options)).toBe('nothing');
    expect(given('a.b a+b', { keep: ['a+b'] })).toEqual(['a.b ', 'a+b', 'a+b', '']);
    const nested = { keep: [/b+c/, 'a b', /a b+c d/, /c d e/] };
    expect(given('a bbc d e', nested)).toEqual(['', 'a bbc d', 'a bbc d', ' e']);
  });

  test('find patterns with any flags, and do not change the RegExp objects', () => {
    const pattern = /prj-\d+/giy;
    pattern.lastIndex = 3;
    expect(given('See PRJ-31 and prj-4.', { keep: [pattern] })).toEqual([
      'See ',
      'PRJ-31',
      'PRJ-31',
      ' and ',
      'prj-4',
      'prj-4',
      '.',
    ]);
    expect(pattern.lastIndex).toBe(3);
    expect(given('abc', { keep: [/x*/] })).toBe('abc');
  });

  test('refuse invalid options', () => {
    const refused = (options) => () => readCarry(options, kLanguages);
    for (const options of [
      { keep: 'Acme' },
      { keep: [3] },
      { keep: [''] },
      { glossary: { ' ': 'x' } },
      { glossary: { '': 'x' } },
      { glossary: { a: 1 } },
      { glossary: null },
      { glossary: { ['a'.repeat(201)]: 'b' } },
      { numbers: 'roman' },
      { copy: 'no' },
      { keep: Array.from({ length: 10_001 }, (_, i) => `t${i}`) },
    ]) {
      expect(refused(options)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    }
  });

  test('refuse patterns that may take for ever, and stop those that take long', () => {
    for (const pattern of [
      /(a+)+$/,
      /(a|a)*$/,
      /(?:a?b*){2,}/,
      /((a+)b)+/,
      /(a+)\1/,
      /(?<x>a)\k<x>/,
      /a*a*a*a*a*a*a*a*a*b/,
    ]) {
      expect(() => readCarry({ keep: [pattern] }, kLanguages)).toThrow(/for ever|more than 8/);
    }
    for (const pattern of [/(ab)+/, /[(+|)]*x/, /\(a+\)+/, /(a|b)c+/, /(?:a+)?/]) {
      expect(readCarry({ keep: [pattern] }, kLanguages).carry.keep).toHaveLength(1);
    }
    const begin = performance.now();
    expect(() => given('a'.repeat(100_000), { keep: [/a*a*a*a*a*a*b/] })).toThrow(/too long/);
    expect(performance.now() - begin).toBeLessThan(20_000);
  });

  test('take 10,000 terms and a long text', () => {
    const keep = Array.from({ length: 10_000 }, (_, i) => `term${i}`);
    expect(given(keep.join(' and '), { keep })).toHaveLength(30_001);
  });
});

test('numbers are written as the target language writes them, where that is asked', () => {
  const french = (text) => given(text, { numbers: 'localise' });
  expect(french('It is 1,234.56 or 3.5 now')).toEqual([
    'It is ',
    '1,234.56',
    '1\u202f234,56',
    ' or ',
    '3.5',
    '3,5',
    ' now',
  ]);
  for (const text of ['v1.2.3', '192.168.1.1', '12:30', '1,23', '2024-05-17', 'in 1987'])
    expect(french(text)).toBe(text);
});

describe('a translation', () => {
  let translator;
  beforeAll(async () => {
    translator = await create({ beam: 2 });
  });
  afterAll(() => translator.destroy());

  test('contains the carried parts, in every call', async () => {
    const text = 'See https://www.example.org/a?b=c for more than 1,234.56 cats \u{1F600}!';
    const whole = await translator.translate(text);
    for (const token of ['https://www.example.org/a?b=c', '1,234.56', '\u{1F600}']) {
      expect(whole.split(token)).toHaveLength(2);
    }
    const [part] = await translator.translateParts(text);
    expect(part.translation).toBe(whole);
    expect(part.warnings).toEqual(['copied']);
    expect(part.confidence).toBeGreaterThan(0);
    expect(part.confidence).toBeLessThan(1);
    let streamed = '';
    for await (const piece of translator.translateStreaming(text)) streamed += piece;
    expect(streamed).toBe(whole);
    const { hypotheses, warnings } = await translator.search(text);
    expect(hypotheses[0].text).toBe(whole);
    expect(warnings).toEqual(['copied']);
    for (const each of hypotheses) expect(each.text).toContain('https://www.example.org/a?b=c');
  });

  test('is traced with the places of the carried parts', async () => {
    const trace = await translator.trace('Ask \u{1F600} @tom_1 for Łódź.');
    expect(trace.copied.map(({ source: [from, to] }) => trace.source.text.slice(from, to))).toEqual(
      trace.copied.map(({ target: [from, to] }) => trace.target.text.slice(from, to)),
    );
    expect(trace.copied).toHaveLength(3);
    expect(JSON.parse(JSON.stringify(trace)).copied).toEqual(trace.copied);
  });

  test('keeps the terms of the caller, and has the glossary', async () => {
    const options = { keep: ['Zebra Cloud'], glossary: { report: 'RAPPORT & <Co>' }, split: false };
    const text = await translator.translate('The report of Zebra Cloud is good.', options);
    expect(text.split('Zebra Cloud')).toHaveLength(2);
    expect(text.split('RAPPORT & <Co>')).toHaveLength(2);
  });

  test('is the model\u2019s own without copying', async () => {
    expect(await translator.translate('I love @tom_1.', { copy: false })).not.toContain('@tom_1');
    expect((await translator.trace('I love @tom_1.', { copy: false })).copied).toEqual([]);
  });

  test('of a line of 10,000 tokens contains those that were read, and warns that the end was not', async () => {
    const tokens = Array.from({ length: 10_000 }, (_, i) => `@name_${i}`);
    const options = { split: false, keep: [/@name_\d+/, /name/], maxLength: 40 };
    const [part] = await translator.translateParts(tokens.map((token) => `ask ${token}`).join(' '), options);
    expect(part.warnings).toEqual(expect.arrayContaining(['copied', 'truncated']));
    const found = part.translation.match(/@name_\d+/g);
    expect(found.length).toBeGreaterThan(10);
    expect(new Set(found).size).toBe(found.length);
    expect(found.every((token) => tokens.includes(token))).toBe(true);
    expect(await translator.translate('Thank you!')).toBe('Merci !');
  });

  test('has the same score wherever it is asked for', async () => {
    for (const text of [
      'See https://x.org/y for more.',
      'I \u{1F600} you, Tom!',
      'HE IS AT /usr/local/data/index.conf NOW.',
      'He will not pay 33,512 for v5.17.52-rc.1 of it.',
      'Hello \u0001 world',
    ]) {
      const { score, target, confidence } = await translator.trace(text);
      expect((await translator.score(text, target.text)).score).toBe(score);
      expect((await translator.trace({ source: text, target: target.text })).score).toBe(score);
      const [part] = await translator.translateParts(text, { split: false });
      expect([part.translation, part.confidence]).toEqual([target.text, confidence]);
    }
  });

  test('of another language says so', async () => {
    const [part] = await translator.translateParts('Das ist ein schönes Haus, und ich wohne schon lange hier.');
    expect(part.warnings).toContain('source-language');
    expect((await translator.translateParts('I have lived here for a long time.'))[0].warnings).toEqual([]);
  });

  test('refuses a pattern that may take for ever, and the next call works', async () => {
    const error = await rejection(translator.translate('aaaa', { keep: [/(a+)+$/] }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'keep' });
    expect(await translator.translate('Thank you!')).toBe('Merci !');
  });

  test('warns if the model carries worse than others', async () => {
    const small = await create({ model: at('tests/goldens/marian/ssru-pre-norm') });
    expect(small.info.copy).toBe('none');
    expect(await rejection(small.translate('Ask Tom.', { keep: ['Tom'] }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      where: 'keep',
    });
    const [{ cut, warnings }] = await small.translateParts('My phone number is 12345.');
    expect(cut).toBe('repetition');
    expect(warnings).toContain('repetition');
    expect((await small.trace('My phone number is 12345.')).cut).toBe('repetition');
    small.destroy();
    const plain = await create({ model: at('web/models/compared/plain') });
    expect(plain.info.copy).toBe('stand-ins');
    expect((await plain.translate('Ask @tom_1 for 4567 cats.')).match(/@tom_1|4567/g)).toHaveLength(2);
    plain.destroy();
    expect(translator.info.copy).toBe('attention');
  });

  test('equals the examples in web/docs/carried.md', async () => {
    const text = readFileSync(at('web/docs/carried.md'), 'utf8');
    const examples = Array.from(text.matchAll(/translate\('(.*)'\); \/\/ (.*)$/gm), ([, source, target]) => [
      source,
      target,
    ]);
    expect(examples.length).toBeGreaterThan(1);
    const model = await create();
    for (const [source, target] of examples) expect(await model.translate(source)).toBe(target);
    model.destroy();
  });
});

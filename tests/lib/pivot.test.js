// Two models as one translator. The words of these models together mean nothing, so that the second model reads what
// the first wrote is compared with two translators, one for each model.
import { Translator } from '../../web/lib/index.js';
import { shares } from '../../web/lib/api/pivot-trace.js';
import { at, create, rejection, tinyFolder } from './support.js';

const [german, french] = [at('web/models/en-de'), at('web/models/en-fr')];
const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
const text = 'My brother lives in a big house. I love you!\n\nIt is raining.';
const kept = [];
const keep = async (translator) => (kept.push(await translator), kept.at(-1));
afterAll(() => kept.forEach((translator) => translator.destroy()));

let first, second, both;
beforeAll(async () => {
  first = await keep(create({ model: german }));
  second = await keep(create({ model: french }));
  both = await keep(Translator.create({ ...pair, model: [german, french] }));
});

test('translates each sentence with both models, and keeps the white space', async () => {
  const parts = await both.translateParts(text);
  expect(parts.map((part) => part.text).join('')).toBe(text);
  for (const part of parts) {
    const between = part.sentence ? await first.translate(part.text, { split: false }) : part.text;
    const translation = part.sentence ? await second.translate(between, { split: false }) : between;
    expect(part.translation).toBe(translation);
  }
  expect(parts.filter((part) => part.sentence)).toHaveLength(3);
  expect(await both.translate(text)).toBe(parts.map((part) => part.translation).join(''));
  const streamed = [];
  for await (const piece of both.translateStreaming(text)) streamed.push(piece);
  expect(streamed.join('')).toBe(parts.map((part) => part.translation).join(''));
  expect(await both.translate('')).toBe('');
});

test('reports the warnings and cuts of both models', async () => {
  const [part] = await both.translateParts('It is raining.', { maxLength: 2 });
  expect(part.cut).toBe('length');
  const [one] = await first.translateParts('It is raining.');
  const [two] = await second.translateParts(one.translation);
  const [whole] = await both.translateParts('It is raining.');
  expect(whole.confidence).toBeCloseTo(one.confidence * two.confidence, 6);
});

test('carries terms, numbers and glossaries through both models', async () => {
  const options = { keep: ['Brontosaurus'], glossary: { house: 'maisonnette' }, numbers: 'localise' };
  const translation = await both.translate('My Brontosaurus has a house and 1,234.5 cows.', options);
  expect(translation).toMatch(/Brontosaurus/);
  expect(translation).toMatch(/maisonnette/);
  expect(translation).toMatch(/1\u202f234,5/);
});

test('a trace joins both traces, from the source to the target', async () => {
  const trace = await both.trace('I love you.');
  const [a, b] = trace.legs;
  expect(a.target.text).toBe(await first.translate('I love you.', { split: false }));
  expect(b.source.text).toBe(a.target.text);
  expect([trace.source, trace.target]).toEqual([a.source, b.target]);
  const [targets, sources] = [b.target.pieces.length, a.source.pieces.length];
  expect(trace.alignment.shape).toEqual([targets, sources]);
  expect(trace.cross.shape).toEqual([1, 1, targets, sources]);
  // Σ over the pieces of the pivot language, as the second model segments them and as the first wrote them.
  const overlap = shares(b.source, a.target);
  const [read, written] = overlap.shape;
  for (let t = 0; t < targets; t++) {
    let sum = 0;
    for (let s = 0; s < sources; s++) {
      let expected = 0;
      for (let j = 0; j < read; j++)
        for (let i = 0; i < written; i++)
          expected +=
            b.alignment.data[t * read + j] * overlap.data[j * written + i] * a.alignment.data[i * sources + s];
      expect(trace.alignment.data[t * sources + s]).toBeCloseTo(expected, 5);
      sum += trace.alignment.data[t * sources + s];
    }
    expect(sum).toBeCloseTo(1, 4);
  }
  expect(trace.encoderSelf).toEqual(a.encoderSelf);
  expect(trace.decoderSelf).toEqual(b.decoderSelf);
  const plain = JSON.parse(JSON.stringify(trace));
  expect(plain.legs[0].cross.data).toHaveLength(a.cross.data.length);
  expect(plain.format).toBe('qkv-trace/1');
  const asked = await both.trace({ source: 'I love you.', target: "Je t'aime." });
  expect(asked.target.text).toBe("Je t'aime.");
});

test('pieces between the models are joined by their letters, and the end pieces with each other', () => {
  const cut = (...ends) => ({
    pieces: ends.map(String),
    begin: Int32Array.from([0, ...ends.slice(0, -1)]),
    end: Int32Array.from(ends),
  });
  const { data, shape } = shares(cut(2, 6, 6), cut(4, 6, 6));
  expect(shape).toEqual([3, 3]);
  expect([...data]).toEqual([1, 0, 0, 0.5, 0.5, 0, 0, 0, 1]);
});

test('search and score use the second model on the translation of the first', async () => {
  const between = await first.translate('It is raining.', { split: false });
  const { hypotheses } = await both.search('It is raining.', { beam: 3 });
  expect(hypotheses.map(({ text: translation }) => translation)).toEqual(
    (await second.search(between, { beam: 3 })).hypotheses.map(({ text: translation }) => translation),
  );
  const target = hypotheses[1].text;
  expect((await both.score('It is raining.', target)).score).toBe((await second.score(between, target)).score);
});

test('info describes both models', async () => {
  const { legs, name, parameters, bytes, copy } = both.info;
  expect(copy).toBe('attention');
  expect(name).toBe('en-de + en-fr');
  expect(legs.map((leg) => leg.name)).toEqual(['en-de', 'en-fr']);
  expect(parameters).toBe(first.info.parameters + second.info.parameters);
  expect(bytes).toBe(first.info.bytes + second.info.bytes);
  expect(await both.memoryBytes()).toBe(await first.memoryBytes()); // one engine
  expect(await Translator.availability({ ...pair, model: [german, french], pivotLanguage: 'fr' })).toBe('downloadable');
});

test('progress covers both downloads, and workers share a long text', async () => {
  const reports = [];
  const monitor = (events) => events.addEventListener('downloadprogress', ({ loaded }) => reports.push(loaded));
  const shared = await keep(Translator.create({ ...pair, model: [german, french], worker: true, workers: 2, monitor }));
  expect([reports[0], reports.at(-1)]).toEqual([0, 1]);
  expect(reports).toEqual(reports.toSorted((a, b) => a - b));
  const long = Array.from({ length: 40 }, (_, i) => `There are ${i} trees.`).join(' ');
  expect(await shared.translate(long)).toBe(await both.translate(long));
});

test('aborts between the models and within each, and the next call works', async () => {
  const controller = new AbortController();
  const long = Array.from({ length: 200 }, (_, i) => `There are ${i} trees.`).join(' ');
  const running = both.translate(long, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 30);
  expect((await rejection(running)).message).toBe('enough');
  expect(await both.translate('It is raining.')).not.toBe('');
});

test('if one model cannot be loaded, its error is reported and nothing stays in memory', async () => {
  const error = await rejection(Translator.create({ ...pair, model: [tinyFolder, at('tests')] }));
  expect([error.name, error.code ?? error.cause?.code]).toEqual(['QkvError', 'MISSING_FILE']);
  const none = await rejection(Translator.create({ ...pair, model: [german] }));
  expect([none.code, none.where]).toEqual(['INVALID_ARGUMENT', 'model']);
  const pivot = await Translator.create({ ...pair, model: [german, french] });
  pivot.destroy();
  expect((await rejection(pivot.translate('No.'))).name).toBe('AbortError');
});

// Options of callers: every public function refuses an unknown name or a value of the wrong type, with the same class
// of error and the option's name.
import { attention, loadAttention } from '../../web/lib/attention/index.js';
import { Translator } from '../../web/lib/index.js';
import { Encoder, Generator, inspect, load } from '../../web/lib/models/index.js';
import { Trainer } from '../../web/lib/train/index.js';
import { at, create, rejection, tinyFolder } from './support.js';

const folder = (name) => at(`tests/goldens/one-sided/${name}`);
const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
const pairs = [['abc', 'cba']];
const config = { preset: 'tiny' };

let translator, encoder, generator, trainer;
beforeAll(async () => {
  translator = await create({ model: tinyFolder });
  encoder = await Encoder.load(folder('bert-masked'));
  generator = await Generator.load(folder('gpt2'));
  trainer = await Trainer.create({ pairs, config });
});
afterAll(() => [translator, encoder, generator, trainer].forEach((one) => one?.destroy()));

/** The rejection of a call, or the error that it throws at once. */
const refusal = (call) => rejection((async () => call())());

// Every public function with options. `o` is what is passed in addition to the required arguments.
const kCalls = [
  ['Translator.create', (o) => Translator.create({ ...pair, ...o })],
  ['Translator.availability', (o) => Translator.availability({ ...pair, ...o })],
  ['translate', (o) => translator.translate('a', o)],
  ['translateParts', (o) => translator.translateParts('a', o)],
  ['translateStreaming', (o) => translator.translateStreaming('a', o)],
  ['search', (o) => translator.search('a', o)],
  ['trace', (o) => translator.trace('a', o)],
  ['trace of a pair', (o) => translator.trace({ source: 'a', target: 'b' }, o)],
  ['score', (o) => translator.score('a', 'b', o)],
  ['measureInputUsage', (o) => translator.measureInputUsage('a', o)],
  ['load', (o) => load(folder('gpt2'), o)],
  ['inspect', (o) => inspect(folder('gpt2'), o)],
  ['Encoder.load', (o) => Encoder.load(folder('bert-masked'), o)],
  ['Generator.load', (o) => Generator.load(folder('gpt2'), o)],
  ['encode', (o) => encoder.encode('a', o)],
  ['Encoder.trace', (o) => encoder.trace('a', o)],
  ['fillMask', (o) => encoder.fillMask('a', o)],
  ['classify', (o) => encoder.classify('a', o)],
  ['tag', (o) => encoder.tag('a', o)],
  ['answer', (o) => encoder.answer('a', 'b', o)],
  ['generate', (o) => generator.generate('a', o)],
  ['stream', (o) => generator.stream('a', o)],
  ['next', (o) => generator.next('a', o)],
  ['Generator.trace', (o) => generator.trace('a', o)],
  ['Trainer.create', (o) => Trainer.create({ pairs, config, ...o })],
  ['run', (o) => trainer.run(o)],
  ['Trainer.translate', (o) => trainer.translate('a', o)],
  ['Trainer.trace', (o) => trainer.trace('a', o)],
  ['attention', (o) => attention({ query: [[1]], key: [[1]], value: [[1]], ...o })],
  ['loadAttention', (o) => loadAttention(o)],
];

const kRefused = { name: 'QkvError', code: 'INVALID_ARGUMENT' };

test.each(kCalls)('%s refuses an option that it does not know, by name', async (_, call) => {
  const error = await refusal(() => call({ dtype: 'q8' }));
  expect(error).toMatchObject({ ...kRefused, where: 'dtype', message: expect.stringContaining('no such option') });
});

test.each(kCalls.filter(([name]) => !['attention', 'loadAttention', 'Translator.availability'].includes(name)))(
  '%s refuses a signal that is none',
  async (_, call) => {
    expect(await refusal(() => call({ signal: {} }))).toMatchObject({ ...kRefused, where: 'signal' });
  },
);

test('options that are not an object are refused, also null', async () => {
  for (const options of [null, 7, 'fast']) {
    expect(await refusal(() => translator.translate('a', options))).toMatchObject({ ...kRefused, where: 'translate' });
    expect(await refusal(() => Encoder.load(folder('bert-masked'), options))).toMatchObject(kRefused);
    expect(await refusal(() => Trainer.create(options))).toMatchObject({ ...kRefused, where: 'Trainer.create' });
  }
});

test('create() without options names the missing one', async () => {
  expect(await refusal(() => Translator.create())).toMatchObject({ ...kRefused, where: 'sourceLanguage' });
  expect(await refusal(() => Translator.availability())).toMatchObject({ ...kRefused, where: 'sourceLanguage' });
  expect(await refusal(() => Trainer.create())).toMatchObject({ ...kRefused, where: 'pairs' });
  expect(await refusal(() => attention())).toMatchObject({ ...kRefused, where: 'query' });
});

test.each([
  ['Translator', (wasm) => Translator.create({ ...pair, wasm })],
  ['models', (wasm) => Encoder.load(folder('bert-masked'), { wasm })],
  ['train', (wasm) => Trainer.create({ pairs, config, wasm })],
  ['attention', (wasm) => loadAttention({ wasm })],
])('%s refuses an invalid `wasm`', async (_, call) => {
  for (const wasm of [null, 7, {}, 'http://[']) {
    expect(await refusal(() => call(wasm))).toMatchObject({ ...kRefused, message: expect.stringMatching(/wasm|URL/) });
  }
});

test('a text is a string: the same error from every model', async () => {
  for (const text of [undefined, null, 1, ['a']]) {
    for (const call of [
      () => translator.translate(text),
      () => encoder.encode(text),
      () => generator.next(text),
      () => trainer.translate(text),
    ]) {
      expect(await refusal(call)).toMatchObject({ ...kRefused, where: 'text' });
    }
  }
});

test('a text over the quota is a QuotaExceededError of every model', async () => {
  const text = 'a'.repeat(1_000_001);
  for (const call of [
    () => translator.translate(text),
    () => encoder.encode(text),
    () => generator.generate(text),
    () => trainer.translate(text),
  ]) {
    const error = await refusal(call);
    expect(error).toMatchObject({ name: 'QuotaExceededError', quota: 1_000_000, cause: { code: 'LIMIT_EXCEEDED' } });
  }
});

test('a download that fails is a NetworkError of every entry point', async () => {
  const wasm = 'http://127.0.0.1:1/qkv.wasm'; // no server listens there
  const url = 'http://127.0.0.1:1/model/';
  for (const call of [
    () => Translator.create({ ...pair, wasm }),
    () => Translator.create({ ...pair, model: url }),
    () => load(url),
    () => inspect(url),
    () => Encoder.load(url),
    () => Trainer.create({ pairs, config, wasm }),
    () => loadAttention({ wasm }),
  ]) {
    const error = await refusal(call);
    expect(error).toBeInstanceOf(DOMException);
    expect(error).toMatchObject({ name: 'NetworkError', cause: { name: 'QkvError', code: 'NETWORK' } });
  }
});

describe('load() of one class', () => {
  test('gives that class', async () => {
    const loaded = await load(folder('bert-masked'), { class: 'Encoder' });
    expect(loaded).toBeInstanceOf(Encoder);
    loaded.destroy();
  });

  test('refuses a folder of another class, and an unknown class', async () => {
    const wrong = await refusal(() => load(folder('gpt2'), { class: 'Encoder' }));
    expect(wrong).toMatchObject({ ...kRefused, message: expect.stringContaining('Generator.load') });
    expect(await refusal(() => load(folder('gpt2'), { class: 'Decoder' }))).toMatchObject({
      ...kRefused,
      where: 'class',
    });
  });
});

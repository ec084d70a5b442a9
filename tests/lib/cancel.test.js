import { Translator } from '../../web/lib/index.js';
import { kSure } from '../translations.js';
import { create, rejection } from './support.js';

const kText = 'I would like a cup of coffee. Where is the station? My brother has a red car.\n'.repeat(20);
const kShort = kSure.text;

const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe.each([
  ['in this thread', false],
  ['in a worker', true],
])('%s', (_, worker) => {
  let translator;
  let expected;
  beforeAll(async () => {
    translator = await create({ worker });
    expected = await translator.translate(kShort);
  });
  afterAll(() => translator.destroy());

  test('an aborted call soon rejects with the reason itself, and the next call works', async () => {
    for (const wait of [0, 1, 5, 20, 50, 90]) {
      const controller = new AbortController();
      const promise = rejection(translator.translate(kText, { signal: controller.signal }));
      await later(wait);
      const reason = { wait };
      const begin = performance.now();
      controller.abort(reason);
      expect(await promise).toBe(reason);
      expect(performance.now() - begin).toBeLessThan(500); // a bound for a loaded machine; the page tests measure 20 ms
      expect(await translator.translate(kShort)).toBe(expected);
    }
  });

  test('a signal that has aborted already starts nothing', async () => {
    const signal = AbortSignal.abort('no');
    expect(await rejection(translator.translate(kText, { signal }))).toBe('no');
    expect(await rejection(translator.trace(kShort, { signal }))).toBe('no');
    expect(await rejection(translator.score(kShort, kShort, { signal }))).toBe('no');
    expect(await rejection(translator.measureInputUsage(kShort, { signal }))).toBe('no');
    expect(await rejection(create({ worker, signal }))).toBe('no');
  });

  test('abort() without a reason is an AbortError; a timeout is a TimeoutError', async () => {
    const controller = new AbortController();
    const promise = rejection(translator.trace(kText, { signal: controller.signal }));
    controller.abort();
    expect(await promise).toMatchObject({ name: 'AbortError' });
    expect(await rejection(translator.translate(kText, { signal: AbortSignal.timeout(10) }))).toMatchObject({
      name: 'TimeoutError',
    });
  });

  test('an aborted call does not affect other calls', async () => {
    const controller = new AbortController();
    const beside = translator.translate(kShort);
    const aborted = rejection(translator.translate(kText, { signal: controller.signal }));
    controller.abort('stop');
    expect(await aborted).toBe('stop');
    expect(await beside).toBe(expected);
  });

  test('a short call does not wait for a long one', async () => {
    const order = [];
    const controller = new AbortController();
    const long = translator.translate(kText, { signal: controller.signal }).then(
      () => order.push('long'),
      () => order.push('stopped'),
    );
    await later(5);
    await translator.translate(kShort).then(() => order.push('short'));
    controller.abort();
    await long;
    expect(order).toEqual(['short', 'stopped']);
  });

  test('aborting after the end does nothing', async () => {
    const controller = new AbortController();
    expect(await translator.translate(kShort, { signal: controller.signal })).toBe(expected);
    controller.abort();
    expect(await translator.translate(kShort)).toBe(expected);
  });

  test('a destroyed translator rejects running and later calls', async () => {
    const other = await create({ worker });
    const running = [other.translate(kText), other.trace(kText), other.score(kShort, kText)].map(rejection);
    other.destroy();
    for (const error of await Promise.all(running)) {
      expect(error).toMatchObject({ name: 'AbortError', cause: { code: 'DESTROYED' } });
    }
    for (const call of [
      other.translate(kShort),
      other.trace(kShort),
      other.score(kShort, kShort),
      other.measureInputUsage(kShort),
      other.memoryBytes(),
    ]) {
      expect(await rejection(call)).toMatchObject({ name: 'AbortError', cause: { code: 'DESTROYED' } });
    }
    other.destroy();
    expect(await translator.translate(kShort)).toBe(expected);
  });

  test('aborting one creation does not affect another that waits for the same model', async () => {
    const model = new URL('../../web/models/en-fr/', import.meta.url);
    const controller = new AbortController();
    const first = rejection(create({ worker, model, signal: controller.signal }));
    const second = create({ worker, model });
    await later(5);
    controller.abort('changed my mind');
    expect(await first).toBe('changed my mind');
    const survivor = await second;
    expect(await survivor.translate(kShort)).toBe(expected);
    survivor.destroy();
    expect(await translator.translate(kShort)).toBe(expected);
  });

  test('aborting the only creation stops the download, and the next one works', async () => {
    const model = new URL('../../web/models/en-fr/', import.meta.url);
    for (const wait of [0, 3, 10, 30]) {
      const controller = new AbortController();
      const promise = rejection(create({ worker, model, signal: controller.signal }));
      await later(wait);
      controller.abort('stop');
      expect(await promise).toBe('stop');
    }
    const next = await create({ worker, model });
    expect(await next.translate(kShort)).toBe(expected);
    next.destroy();
  });
});

test('translators share one engine and one copy of a model, freed with the last', async () => {
  const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
  expect(await Translator.availability(pair)).toBe('downloadable');
  const creating = create();
  expect(await Translator.availability(pair)).toBe('downloading');
  const first = await creating;
  expect(await Translator.availability(pair)).toBe('available');
  const bytes = await first.memoryBytes();
  const second = await create();
  expect(await second.memoryBytes()).toBe(bytes);
  first.destroy();
  expect(await Translator.availability(pair)).toBe('available');
  expect(await second.translate(kShort)).toBe(kSure.translation);
  second.destroy();
  expect(await Translator.availability(pair)).toBe('downloadable');
});

test('a translator is disposable', async () => {
  const [a, b] = await Promise.all([create(), create()]);
  a[Symbol.dispose]();
  await b[Symbol.asyncDispose]();
  for (const gone of [a, b]) {
    expect(await rejection(gone.translate(kShort))).toMatchObject({ name: 'AbortError' });
  }
});

test('only create() makes translators', () => {
  expect(() => new Translator()).toThrow(TypeError);
});

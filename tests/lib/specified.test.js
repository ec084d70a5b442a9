// Translator follows the specification of the built-in Translator where it has the same features.
import { Translator } from '../../web/lib/index.js';
import { kSure } from '../translations.js';
import { create, rejection } from './support.js';

const kLong = 'We went home and then we ate. '.repeat(50);
const kDestroyed = { name: 'AbortError', cause: { code: 'DESTROYED' } };
const collect = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

describe('a translator', () => {
  let translator;
  beforeAll(async () => (translator = await create({ sourceLanguage: 'EN-gb', targetLanguage: 'fr-ca' })));
  afterAll(() => translator.destroy());

  test('gives its languages in the canonical spelling', () => {
    expect([translator.sourceLanguage, translator.targetLanguage]).toEqual(['en-GB', 'fr-CA']);
  });

  test('has its name as its tag, and enumerable operations', () => {
    expect(Object.prototype.toString.call(translator)).toBe('[object Translator]');
    const listed = [];
    for (const name in translator) listed.push(name);
    expect(listed).toEqual(expect.arrayContaining(['translate', 'translateStreaming', 'measureInputUsage', 'destroy']));
    expect(Object.keys(Translator)).toEqual(expect.arrayContaining(['create', 'availability']));
    expect(Object.keys(Translator)).not.toContain('name');
    expect(Translator.name).toBe('Translator');
  });

  test('refuses a text over the quota with the quota and what was requested', async () => {
    const text = 'a'.repeat(translator.inputQuota + 1);
    const error = await rejection(translator.translate(text));
    expect(error).toMatchObject({ name: 'QuotaExceededError', quota: 1_000_000, requested: 1_000_001 });
    expect(error).toBeInstanceOf(DOMException);
  });

  test('uses the QuotaExceededError of the runtime where there is one', async () => {
    const own = globalThis.QuotaExceededError;
    globalThis.QuotaExceededError = class extends DOMException {
      constructor(message, { quota, requested }) {
        super(message, 'QuotaExceededError');
        Object.assign(this, { quota, requested });
      }
    };
    try {
      const error = await rejection(translator.translate('a'.repeat(1_000_001)));
      expect(error).toBeInstanceOf(globalThis.QuotaExceededError);
      expect(error).toMatchObject({ quota: 1_000_000, requested: 1_000_001, cause: { code: 'LIMIT_EXCEEDED' } });
    } finally {
      if (own) globalThis.QuotaExceededError = own;
      else delete globalThis.QuotaExceededError;
    }
  });

  test('throws if a stream is requested with an aborted signal', () => {
    const signal = AbortSignal.abort('no');
    expect(() => translator.translateStreaming(kLong, { signal })).toThrow('no');
  });

  test('ends a stream with the abort, whether anyone reads or not', async () => {
    const controller = new AbortController();
    const reader = translator.translateStreaming(kLong, { signal: controller.signal }).getReader();
    controller.abort('enough');
    expect(await rejection(reader.closed)).toBe('enough');
    expect(await translator.translate(kSure.text)).toBe(kSure.translation);
  });

  test('measures in a separate task, which an abort prevents', async () => {
    const controller = new AbortController();
    const measuring = rejection(translator.measureInputUsage('Hello.', { signal: controller.signal }));
    controller.abort('no');
    expect(await measuring).toBe('no');
    expect(await translator.measureInputUsage('Hello.')).toBe(6);
  });
});

test('destroy() rejects running and later calls, measures and streams too', async () => {
  const translator = await create();
  const measuring = rejection(translator.measureInputUsage('Hello.'));
  const [read, unread] = [kLong, kLong].map((text) => translator.translateStreaming(text).getReader());
  const reading = rejection(read.read());
  translator.destroy();
  for (const error of [measuring, reading, rejection(unread.closed), rejection(translator.measureInputUsage('a'))])
    expect(await error).toMatchObject(kDestroyed);
  expect(() => translator.translateStreaming('a')).toThrow('has been destroyed');
});

test('progress is reported in multiples of 1/65536', async () => {
  const loaded = [];
  const monitor = (m) => m.addEventListener('downloadprogress', (event) => loaded.push(event.loaded));
  (await create({ monitor })).destroy();
  expect(loaded.length).toBeGreaterThan(8);
  expect(loaded.filter((part) => !Number.isInteger(part * 65536))).toEqual([]);
  expect([loaded[0], loaded.at(-1)]).toEqual([0, 1]);
});

test('an abort in the last progress event rejects, and frees the model', async () => {
  const controller = new AbortController();
  const monitor = (m) =>
    m.addEventListener('downloadprogress', ({ loaded }) => loaded === 1 && controller.abort('late'));
  expect(await rejection(create({ monitor, signal: controller.signal }))).toBe('late');
  expect(await Translator.availability({ sourceLanguage: 'en', targetLanguage: 'fr' })).toBe('downloadable');
});

describe('a language and itself', () => {
  const same = { sourceLanguage: 'en-US', targetLanguage: 'en-GB' };

  test('are always available, and each text is its own translation', async () => {
    expect(await Translator.availability(same)).toBe('available');
    expect(await Translator.availability({ sourceLanguage: 'zh-CN', targetLanguage: 'zh-Hans' })).toBe('available');
    expect(await Translator.availability({ sourceLanguage: 'zh', targetLanguage: 'zh-TW' })).toBe('unavailable');
    const translator = await Translator.create(same);
    const text = ' One.  Two…\n\u0001 3 😀';
    expect(await translator.translate(text)).toBe(text);
    expect((await collect(translator.translateStreaming(text))).join('')).toBe(text);
    const parts = await translator.translateParts(text);
    expect(parts.map((part) => part.translation).join('')).toBe(text);
    expect(parts.filter((part) => part.sentence).length).toBeGreaterThan(1);
    expect(await translator.memoryBytes()).toBe(0);
    expect(translator.info.parameters).toBe(0);
    expect(await rejection(translator.trace(text))).toMatchObject({ name: 'NotSupportedError' });
    translator.destroy();
    expect(await rejection(translator.translate(text))).toMatchObject(kDestroyed);
  });

  test('use a model if one is given', async () => {
    const translator = await create({ ...same, model: new URL('../../web/models/en-fr/', import.meta.url) });
    expect(await translator.translate(kSure.text)).toBe(kSure.translation);
    translator.destroy();
  });
});

test('monitors cannot be constructed', async () => {
  let monitor;
  (await create({ monitor: (given) => (monitor = given) })).destroy();
  expect(Object.prototype.toString.call(monitor)).toBe('[object CreateMonitor]');
  expect(() => new monitor.constructor()).toThrow('Illegal constructor');
});

// The LanguageDetector of the façade, on a detector with prepared answers.
import { asSpecified } from '../../web/lib/translator-api/detection.js';
import { detectors } from '../../web/lib/translator-api/detectors.js';
import { LanguageDetector } from '../../web/lib/translator-api/index.js';
import { rejection } from './support.js';

const of = (confidences) =>
  Object.entries(confidences).map(([detectedLanguage, confidence]) => ({ detectedLanguage, confidence }));

describe('what a detector finds is given as specified', () => {
  test.each([
    ['the likeliest first, and und last', { fr: 0.25, en: 0.5 }, { en: 0.5, fr: 0.25, und: 0.25 }],
    ['until 0.99 are reached', { en: 0.75, fr: 0.24, de: 0.005 }, { en: 0.75, fr: 0.24, und: 0.01 }],
    ['the language that reaches them still among them', { en: 0.98, fr: 0.02 }, { en: 0.98, fr: 0.02, und: 0 }],
    ['none that is impossible', { en: 0.5, fr: 0 }, { en: 0.5, und: 0.5 }],
    ['none that is less likely than none of them', { en: 0.5, fr: 0.125, und: 0.375 }, { en: 0.5, und: 0.5 }],
    ['what is as likely as none of them', { en: 0.5, und: 0.5 }, { en: 0.5, und: 0.5 }],
    ['und alone, where nothing was found', {}, { und: 1 }],
  ])('%s', (_, found, expected) => {
    const results = asSpecified(of(found));
    expect(results.map(({ detectedLanguage }) => detectedLanguage)).toEqual(
      of(expected).map((one) => one.detectedLanguage),
    );
    of(expected).forEach(({ confidence }, i) => expect(results[i].confidence).toBeCloseTo(confidence, 12));
    expect(asSpecified(results)).toEqual(results);
  });
});

describe('a LanguageDetector', () => {
  let loads;
  beforeEach(() => {
    loads = 0;
    detectors.own = {
      languages: ['en', 'fr', 'zh-Hant'],
      async load({ report }) {
        loads++;
        report(0.5);
        await new Promise((done) => setTimeout(done, 20));
        const detect = async (text) => of({ fr: 0.25, en: text === 'all' ? 0.75 : 0.5 });
        return { detect, measure: (text) => text.length, inputQuota: 10 };
      },
    };
  });
  afterAll(() => (detectors.own = null));

  test('is downloadable, downloading and available, and is loaded once', async () => {
    expect(await LanguageDetector.availability()).toBe('downloadable');
    const loaded = [];
    const monitor = (m) => m.addEventListener('downloadprogress', (event) => loaded.push(event.loaded));
    const creating = LanguageDetector.create({ monitor });
    while (loads === 0) await new Promise((done) => setTimeout(done, 1));
    expect(await LanguageDetector.availability()).toBe('downloading');
    const [first, second] = await Promise.all([creating, LanguageDetector.create()]);
    expect([loaded[0], loaded.at(-1), loads]).toEqual([0, 1, 1]);
    first.destroy();
    second.destroy();
    expect(await LanguageDetector.availability()).toBe('available');
  });

  test('has the languages of its detector', async () => {
    const ask = (...expectedInputLanguages) => LanguageDetector.availability({ expectedInputLanguages });
    expect(await ask('en-GB', 'fr', 'zh-TW')).toBe('downloadable');
    expect(await ask('en', 'zh')).toBe('unavailable');
    expect(await ask('fr-Cyrl')).toBe('downloadable');
    expect(await rejection(LanguageDetector.create({ expectedInputLanguages: ['zu'] }))).toMatchObject({
      name: 'NotSupportedError',
    });
    const detector = await LanguageDetector.create({ expectedInputLanguages: ['en-GB', 'EN', 'zh-tw'] });
    expect(detector.expectedInputLanguages).toEqual(['en', 'zh-Hant']);
    expect(Object.isFrozen(detector.expectedInputLanguages)).toBe(true);
    expect(detector.expectedInputLanguages).toBe(detector.expectedInputLanguages);
    for (const options of [undefined, {}, { expectedInputLanguages: [] }])
      expect((await LanguageDetector.create(options)).expectedInputLanguages).toBeNull();
  });

  test('detects, measures, and has a quota', async () => {
    const detector = await LanguageDetector.create();
    expect(await detector.detect('all')).toEqual(of({ en: 0.75, fr: 0.25, und: 0 }));
    expect(Object.keys((await detector.detect('all'))[0])).toEqual(['confidence', 'detectedLanguage']);
    expect([detector.inputQuota, await detector.measureInputUsage('four')]).toEqual([10, 4]);
    const error = await rejection(detector.detect('a'.repeat(11)));
    expect(error).toMatchObject({ name: 'QuotaExceededError', quota: 10, requested: 11 });
  });

  test('rejects aborted calls, and all calls after destroy() or an abort of its signal', async () => {
    const detector = await LanguageDetector.create();
    const controller = new AbortController();
    const running = [detector.detect('a', controller), detector.measureInputUsage('a', controller)].map(rejection);
    controller.abort('enough');
    expect(await Promise.all(running)).toEqual(['enough', 'enough']);
    const ended = [detector.detect('a'), detector.measureInputUsage('a')].map(rejection);
    detector.destroy();
    ended.push(...[detector.detect('a'), detector.measureInputUsage('a')].map(rejection));
    for (const error of await Promise.all(ended)) expect(error).toMatchObject({ name: 'AbortError' });

    const creating = new AbortController();
    const other = await LanguageDetector.create({ signal: creating.signal });
    creating.abort('over');
    expect(await rejection(other.detect('a'))).toBe('over');
  });

  test('rejects with OperationError if its detector does not load, and the next create() tries again', async () => {
    const { load } = detectors.own;
    detectors.own.load = async () => {
      throw new Error('damaged');
    };
    expect(await rejection(LanguageDetector.create())).toMatchObject({ name: 'OperationError' });
    detectors.own.load = load;
    expect(await (await LanguageDetector.create()).detect('')).toHaveLength(3);
  });
});

// install({ when: 'unavailable' }): the browser's own classes are asked first. Here a fake with prepared answers replaces them.
import {
  activated,
  collected,
  configure,
  eventsOf,
  holds,
  identical,
  kPair,
  kTiny,
  rejected,
  same,
  sleep,
  with_,
} from './tools.js';

const create = (options) => globalThis.Translator.create({ ...kPair, ...options });
const availability = (options) => globalThis.Translator.availability({ ...kPair, ...options });

/** The behaviour of the browser's own class. A row changes it. */
const usual = {
  availability: async () => 'available',
  create: async () => {},
  translate: async (text) => `native ${text}`,
};
let does = usual;
/** @type {unknown[][]} */
let asked = [];

/** The browser's own class. */
export class Native {
  static async availability(options) {
    asked.push(['availability', options]);
    return does.availability(options);
  }
  static async create(options) {
    asked.push(['create', options]);
    await does.create(options);
    return Object.assign(new Native(), {
      options,
      sourceLanguage: 'en',
      targetLanguage: 'fr',
      inputQuota: 100,
      expectedInputLanguages: ['en'],
    });
  }
  translate(text) {
    return does.translate(text);
  }
  translateStreaming(text) {
    return new ReadableStream({
      start(controller) {
        for (const part of ['native ', text]) controller.enqueue(part);
        controller.close();
      },
    });
  }
  async detect(text) {
    return [{ detectedLanguage: text, confidence: 1 }];
  }
  async measureInputUsage(text) {
    return 2 * text.length;
  }
  destroy() {
    asked.push(['destroy']);
  }
}

const told =
  (...loaded) =>
  ({ monitor }) => {
    const target = new EventTarget();
    monitor(target);
    for (const part of loaded) target.dispatchEvent(new ProgressEvent('downloadprogress', { loaded: part, total: 1 }));
  };
const never = () => new Promise(() => {});
const fails = (name) => async () => {
  throw new DOMException('native', name);
};
/** @param {Partial<typeof usual>} other */
const when = (other, check) => async () => {
  does = { ...usual, ...other };
  asked = [];
  await check();
};
const calls = () => asked.map(([name]) => name);

/** qkv's model translates. Its words mean nothing, but they differ from the fake's. */
const isOwn = async () => {
  const translator = await create();
  const text = await translator.translate('Hello.');
  holds(!text.startsWith('native'), text);
  translator.destroy();
};

export const native = [
  [
    "the browser's own is asked, with canonical tags, and says what is available",
    when(
      { availability: async ({ targetLanguage }) => (targetLanguage === 'fr' ? 'downloading' : 'unavailable') },
      async () => {
        same(await availability({ sourceLanguage: 'EN-gb' }), 'downloading');
        same(asked, [['availability', { sourceLanguage: 'en-GB', targetLanguage: 'fr' }]]);
        same(await availability({ targetLanguage: 'de' }), 'unavailable');
      },
    ),
  ],
  [
    "where the browser has a model, it translates, behind an object of qkv's class",
    when({}, async () => {
      const translator = await create();
      holds(translator instanceof globalThis.Translator && !(translator instanceof Native));
      same(await translator.translate('a'), 'native a');
      same(await collected(translator.translateStreaming('a')), ['native ', 'a']);
      same([translator.inputQuota, await translator.measureInputUsage('abc')], [100, 6]);
      same([translator.sourceLanguage, translator.targetLanguage], ['en', 'fr']);
      translator.destroy();
      same(calls(), ['availability', 'create', 'destroy']);
      await rejected(translator.translate('a'), 'AbortError');
    }),
  ],
  [
    "the browser's progress is told, from 0 to 1, to a monitor of qkv's",
    when({ availability: async () => 'downloadable', create: told(0, 0.5, 1) }, async () => {
      const { events } = await eventsOf(kPair);
      const loaded = events.map(({ event }) => event.loaded);
      same([loaded[0], loaded.at(-1)], [0, 1]);
      holds(events[0].event.target instanceof globalThis.CreateMonitor);
    }),
  ],
  [
    "a download of the browser's needs an action of the user",
    when({ availability: async () => 'downloadable' }, async () => {
      await activated(false, () => rejected(create(), 'NotAllowedError'));
      same(calls(), ['availability']);
    }),
  ],
  [
    'an abort is handed on, and rejects with its reason',
    when({ create: never }, async () => {
      const controller = new AbortController();
      const creating = rejected(create({ signal: controller.signal }));
      while (calls().length < 2) await sleep(10);
      controller.abort('enough');
      identical(await creating, 'enough');
      same(asked[1][1].signal.aborted, true);
    }),
  ],
  [
    "an error of the browser's translation is handed on",
    when({ translate: fails('NotReadableError') }, async () =>
      rejected((await create()).translate('a'), 'NotReadableError'),
    ),
  ],
  [
    "where the browser has no model for a pair, qkv's translates",
    when({ availability: async () => 'unavailable' }, isOwn),
  ],
  ['where it cannot say, too', when({ availability: fails('UnknownError') }, isOwn)],
  ['where its class throws, too', when({ availability: () => never(), create: never }, () => with_(Native, 'availability', () => { throw new Error('broken'); }, isOwn))], // prettier-ignore
  ['where it does not answer, too', when({ availability: never }, isOwn)],
  ['where its create() fails, too', when({ create: fails('NetworkError') }, isOwn)],
  [
    "where its create() fails and qkv has no model either, the browser's error is given",
    when({ create: fails('OperationError') }, async () => {
      configure({ models: {} });
      await rejected(create(), 'OperationError');
    }),
  ],
  [
    'between variants of a language the browser is not asked',
    when({}, async () => {
      same(await availability({ targetLanguage: 'en-GB' }), 'available');
      same(asked, []);
    }),
  ],
  [
    "a LanguageDetector of the browser's detects, behind an object of qkv's class",
    when({}, async () => {
      const { LanguageDetector } = globalThis;
      same(await LanguageDetector.availability({ expectedInputLanguages: ['EN'] }), 'available');
      same(asked, [['availability', { expectedInputLanguages: ['en'] }]]);
      const detector = await LanguageDetector.create({ expectedInputLanguages: ['EN', 'en'] });
      same(await detector.detect('fr'), [{ detectedLanguage: 'fr', confidence: 1 }]);
      identical(detector.expectedInputLanguages, detector.expectedInputLanguages);
      same([detector.expectedInputLanguages, Object.isFrozen(detector.expectedInputLanguages)], [['en'], true]);
      identical((await LanguageDetector.create()).expectedInputLanguages, null);
      same([detector.inputQuota, await detector.measureInputUsage('ab')], [100, 4]);
      detector.destroy();
      await rejected(detector.detect('fr'), 'AbortError');
      await rejected(detector.measureInputUsage('fr'), 'AbortError');
      await rejected(detector.detect('fr', { signal: null }), 'TypeError');
      await rejected(detector.detect(), 'TypeError');
    }),
  ],
];

/** Before the façade is imported. */
export function defineNative() {
  globalThis.Translator = globalThis.LanguageDetector = Native;
  void kTiny;
}

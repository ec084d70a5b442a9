// Creation and availability: the order of their steps, and their rejections.
import {
  activated,
  configure,
  eventsOf,
  holds,
  identical,
  kPair,
  kReal,
  kTiny,
  rejected,
  same,
  sleep,
  slowly,
  with_,
} from './tools.js';

const create = (options) => globalThis.Translator.create(options);
const availability = (options) => globalThis.Translator.availability(options);
const same_ = { sourceLanguage: 'en', targetLanguage: 'en' };
const bad = { sourceLanguage: 'e', targetLanguage: 'fr' };
const unknown = { sourceLanguage: 'mi', targetLanguage: 'zu' };
const policy = (isAllowed, use) =>
  with_(
    document,
    'featurePolicy',
    { features: () => ['translator', 'language-detector'], allowsFeature: () => isAllowed },
    use,
  );
const failure = (text) => new Error(text);
const throwing = (error) => () => {
  throw error;
};

export const creation = [
  [
    'language tags are checked before the signal',
    async () => rejected(create({ ...bad, signal: AbortSignal.abort('no') }), 'RangeError'),
  ],
  [
    'a signal that has aborted rejects with its reason, before the policy and without a call of the monitor',
    async () => {
      let calls = 0;
      const reason = failure('no');
      const given = { ...kPair, signal: AbortSignal.abort(reason), monitor: () => calls++ };
      identical(await policy(false, () => rejected(create(given))), reason);
      same(calls, 0);
      await rejected(create({ ...kPair, signal: AbortSignal.abort() }), 'AbortError');
    },
  ],
  [
    'the permissions policy comes before the monitor: NotAllowedError, and unavailable',
    async () => {
      let calls = 0;
      await policy(false, () => rejected(create({ ...same_, monitor: () => calls++ }), 'NotAllowedError'));
      await policy(false, () => rejected(globalThis.LanguageDetector.create(), 'NotAllowedError'));
      same(calls, 0);
      same(await policy(false, () => availability(same_)), 'unavailable');
      await policy(false, () => rejected(availability(bad), 'RangeError'));
      same(await policy(true, () => availability(same_)), 'available');
    },
  ],
  [
    'a browser whose policy does not know the feature allows it',
    async () => {
      const old = { features: () => ['camera'], allowsFeature: () => false };
      same(await with_(document, 'featurePolicy', old, () => availability(same_)), 'available');
    },
  ],
  [
    'the monitor is called during create(), as a function without receiver, with a CreateMonitor',
    async () => {
      const calls = [];
      const creating = create({ ...same_, monitor: function (...given) { calls.push([this, ...given]); } }); // prettier-ignore
      same(calls.length, 1);
      identical(calls[0][0], undefined);
      same(calls[0].length, 2);
      holds(calls[0][1] instanceof globalThis.CreateMonitor && calls[0][1] instanceof EventTarget);
      same(Object.prototype.toString.call(calls[0][1]), '[object CreateMonitor]');
      await creating;
    },
  ],
  [
    'what the monitor throws rejects create() with itself, before availability matters, and no event follows',
    async () => {
      const error = failure('mine');
      let events = 0;
      const monitor = (m) => {
        m.addEventListener('downloadprogress', () => events++);
        throw error;
      };
      identical(await rejected(create({ ...same_, monitor })), error);
      identical(await rejected(create({ ...unknown, monitor })), error);
      await new Promise((done) => setTimeout(done, 100));
      same(events, 0);
      identical(await rejected(globalThis.LanguageDetector.create({ monitor: throwing(error) })), error);
    },
  ],
  [
    'a pair without a model is unavailable, and create() rejects with NotSupportedError after the monitor was called',
    async () => {
      let calls = 0;
      same(await availability(unknown), 'unavailable');
      await rejected(create({ ...unknown, monitor: () => calls++ }), 'NotSupportedError');
      same(calls, 1);
    },
  ],
  [
    'a download needs a user who has just acted: NotAllowedError, after the monitor was called',
    async () => {
      let calls = 0;
      await activated(false, () => rejected(create({ ...kPair, monitor: () => calls++ }), 'NotAllowedError'));
      same([calls, await availability(kPair)], [1, 'downloadable']);
    },
  ],
  [
    'what is unavailable is so without an action too',
    () => activated(false, () => rejected(create(unknown), 'NotSupportedError')),
  ],
  [
    'what is available needs no action of the user; the second create() finds it so',
    async () => {
      const first = await create(kPair);
      same(await availability(kPair), 'available');
      const second = await activated(false, () => create(kPair));
      same(await second.translate('Hello.'), await first.translate('Hello.'));
      first.destroy();
      same(await availability(kPair), 'available');
      second.destroy();
      await activated(false, () => create(same_));
    },
  ],
  [
    'while it is downloaded it is downloading, and another create() needs no action',
    async () => {
      configure({ models: { 'en-fr': kReal }, worker: false });
      await slowly(4, async () => {
        const creating = create(kPair);
        await sleep(200);
        same(await availability(kPair), 'downloading');
        const other = activated(false, () => create(kPair));
        for (const translator of await Promise.all([creating, other])) translator.destroy();
      });
    },
  ],
  [
    'availability is the same for all variations of a tag',
    async () => {
      for (const sourceLanguage of [
        'en',
        'EN',
        'en-Latn-GB',
        'en-GB',
        'en-fonipa-scouse',
        'en-x-lolcat',
        'en-u-ca-buddhist',
      ])
        same(await availability({ ...kPair, sourceLanguage }), 'downloadable');
    },
  ],
  [
    'a translator has the languages of the model that fits best, in the canonical spelling',
    async () => {
      const translator = await create({ sourceLanguage: 'EN-gb', targetLanguage: 'fr-latn-CA' });
      same([translator.sourceLanguage, translator.targetLanguage], ['en', 'fr']);
      translator.destroy();
    },
  ],
  [
    'scripts count: a model for Simplified Chinese is none for Traditional',
    async () => {
      configure({ models: { 'en-zh': kTiny, 'sr-Latn-en': kTiny } });
      const states = {
        'en zh': 1,
        'en zh-Hans': 1,
        'en zh-CN': 1,
        'en zh-Hant': 0,
        'en zh-TW': 0,
        'sr-Latn en': 1,
        'sr en': 0,
      };
      for (const [pair, isThere] of Object.entries(states)) {
        const [sourceLanguage, targetLanguage] = pair.split(' ');
        same(
          [pair, await availability({ sourceLanguage, targetLanguage })],
          [pair, isThere ? 'downloadable' : 'unavailable'],
        );
      }
    },
  ],
  [
    'the identity is always available, and its translator has the tags as they were given',
    async () => {
      for (const [sourceLanguage, targetLanguage] of [
        ['en', 'en'],
        ['en-US', 'en-GB'],
        ['en-x-asdf', 'en-x-xyzw'],
        ['zh', 'zh-Hans'],
      ]) {
        // prettier-ignore
        const languages = { sourceLanguage, targetLanguage };
        same(await availability(languages), 'available');
        const translator = await create(languages);
        same([translator.sourceLanguage, translator.targetLanguage], [sourceLanguage, targetLanguage]);
      }
      same(await availability({ sourceLanguage: 'zh-Hans', targetLanguage: 'zh-Hant' }), 'unavailable');
    },
  ],
  [
    'where it cannot be found out what there is, availability() and create() reject with UnknownError',
    async () => {
      configure({ models: throwing(failure('no list')) });
      await rejected(availability(kPair), 'UnknownError');
      same((await rejected(create(kPair), 'UnknownError')).cause.message, 'no list');
    },
  ],
  [
    'a download that fails is a NetworkError, never told to be whole, and can be tried again',
    async () => {
      configure({ models: { 'en-fr': '/nothing/here/' } });
      const told = [];
      const monitor = (m) => m.addEventListener('downloadprogress', ({ loaded }) => told.push(loaded));
      await rejected(create({ ...kPair, monitor }), 'NetworkError');
      same([told[0], told.includes(1)], [0, false]);
      same(await availability(kPair), 'downloadable');
    },
  ],
  [
    'files that are no model are an OperationError',
    async () => {
      configure({ models: () => ({ files: { 'config.json': new Blob(['{']) } }) });
      const error = await rejected(create(kPair), 'OperationError');
      holds(error instanceof DOMException && error.cause?.name === 'QkvError');
    },
  ],
  [
    'models are given as a list of packages, as an object, or by a function, which may be asynchronous',
    async () => {
      const { default: enFr } = await import(`${kReal}index.js`);
      for (const models of [
        [enFr],
        { 'en-fr': kReal },
        async (languages) => (languages.targetLanguage === 'fr' ? kReal : undefined),
      ]) {
        configure({ models });
        same(await availability(kPair), 'downloadable');
        same(await availability({ ...kPair, targetLanguage: 'de' }), 'unavailable');
      }
      const { translator } = await eventsOf(kPair);
      same(await translator.translate('I love you.'), "Je t'aime.");
      translator.destroy();
    },
  ],
  [
    "models are given by the URL of a folder, too, which has one for each pair of qkv's",
    async () => {
      configure({ models: '/web/models/' });
      same([await availability(kPair), await availability(unknown)], ['downloadable', 'unavailable']);
      const translator = await create(kPair);
      same(await translator.translate('I love you.'), "Je t'aime.");
      translator.destroy();
    },
  ],
  [
    'a model that is kept is available on the next visit, without an action of the user, and tells 0 and 1 alone',
    async () => {
      const visit = () => configure({ models: { 'en-fr': kTiny }, store: true });
      await caches.delete('qkv-models');
      visit();
      same(await availability(kPair), 'downloadable');
      const first = await create(kPair);
      const { models } = await import('/dist/index.js');
      for (let i = 0; (await models.list()).length === 0 && i < 100; i++) await sleep(50); // it is written meanwhile
      first.destroy();
      visit();
      same(await availability(kPair), 'available');
      const { events, translator } = await activated(false, () => eventsOf(kPair));
      same(events.map(({ event }) => event.loaded), [0, 1]); // prettier-ignore
      translator.destroy();
      await caches.delete('qkv-models');
      visit();
      same(await availability(kPair), 'downloadable');
    },
  ],
  [
    'configure() refuses an option that it does not know',
    () => {
      let error;
      try {
        configure({ model: kTiny });
      } catch (caught) {
        error = caught;
      }
      same(error?.name, 'TypeError');
    },
  ],
  [
    'LanguageDetector: for a language that it does not know it is unavailable, and create() rejects after the monitor was called',
    async () => {
      let calls = 0;
      const { LanguageDetector } = globalThis;
      const expectedInputLanguages = ['en', 'tlh'];
      same(await LanguageDetector.availability({ expectedInputLanguages }), 'unavailable');
      const options = { expectedInputLanguages, monitor: () => calls++ };
      await rejected(LanguageDetector.create(options), 'NotSupportedError');
      same(calls, 1);
    },
  ],
];

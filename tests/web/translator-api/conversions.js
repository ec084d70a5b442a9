// Arguments are converted as Web IDL specifies, before an operation does anything else.
import { collected, holds, identical, kPair, rejected, same, thrown } from './tools.js';

const create = (...given) => globalThis.Translator.create(...given);
const availability = (...given) => globalThis.Translator.availability(...given);
const same_ = { sourceLanguage: 'en', targetLanguage: 'en' };
const echoing = () => create(same_);
const detector = (...given) => globalThis.LanguageDetector.create(...given);

/** An object that records which of its properties are read. */
const watched = (values) => {
  const read = [];
  const get = (target, key) => (read.push(String(key)), target[key]);
  return { read, options: new Proxy(values, { get }) };
};
const frame = async () => {
  const element = document.createElement('iframe');
  document.body.append(element);
  return element;
};

export const conversions = [
  [
    'create() and availability() require their options, which are an object with both languages',
    async () => {
      for (const call of [create, availability]) {
        await rejected(call(), 'TypeError');
        for (const options of [
          undefined,
          null,
          {},
          { sourceLanguage: 'en' },
          { targetLanguage: 'fr' },
          7,
          'en',
          Symbol('en'),
        ])
          await rejected(call(options), 'TypeError');
      }
    },
  ],
  [
    'languages are stringified',
    async () => {
      const options = { sourceLanguage: { toString: () => 'en' }, targetLanguage: ['en'] };
      same(await availability(options), 'available');
      same((await create(options)).targetLanguage, 'en');
      await rejected(create({ ...kPair, sourceLanguage: Symbol('en') }), 'TypeError');
      await rejected(availability({ ...kPair, sourceLanguage: null }), 'RangeError'); // 'null' has no such form
    },
  ],
  [
    'dictionaries are read in the order of their inheritance and alphabet, each member once, others never',
    async () => {
      const given = watched({ ...same_, signal: undefined, monitor: undefined, other: 1 });
      await create(given.options);
      same(given.read, ['sourceLanguage', 'targetLanguage', 'monitor', 'signal']);
      const asked = watched(same_);
      await availability(asked.options);
      same(asked.read, ['sourceLanguage', 'targetLanguage']);
    },
  ],
  [
    'an exception of a getter rejects the promise with itself',
    async () => {
      const error = new Error('mine');
      const options = { ...same_, get monitor() { throw error; } }; // prettier-ignore
      identical(await rejected(create(options)), error);
    },
  ],
  [
    'a monitor is a function, and a signal is an AbortSignal; neither may be null',
    async () => {
      for (const monitor of [null, 1, 'f', {}]) await rejected(create({ ...same_, monitor }), 'TypeError');
      for (const signal of [null, 1, {}, new AbortController(), AbortSignal.prototype])
        await rejected(create({ ...same_, signal }), 'TypeError');
      await create({ ...same_, monitor: undefined, signal: undefined });
    },
  ],
  [
    "a signal may be another window's",
    async () => {
      const element = await frame();
      const controller = new element.contentWindow.AbortController();
      const translator = await create({ ...same_, signal: controller.signal });
      controller.abort('from there');
      identical(await rejected(translator.translate('a')), 'from there');
      element.remove();
    },
  ],
  [
    'conversion comes before the check of language tags',
    async () => {
      await rejected(create({ sourceLanguage: '!', targetLanguage: Symbol('fr') }), 'TypeError');
      await rejected(create({ sourceLanguage: '!', targetLanguage: 'fr', signal: null }), 'TypeError');
    },
  ],
  [
    'translate(), translateStreaming() and measureInputUsage() require a text, and stringify it',
    async () => {
      const translator = await echoing();
      await rejected(translator.translate(), 'TypeError');
      await rejected(translator.measureInputUsage(), 'TypeError');
      thrown(() => translator.translateStreaming(), 'TypeError');
      for (const text of [undefined, null, 12, true, ['a', 'b'], { toString: () => 'own' }]) {
        same(await translator.translate(text), `${text}`);
        same(await translator.measureInputUsage(text), `${text}`.length);
        same((await collected(translator.translateStreaming(text))).join(''), `${text}`);
      }
      await rejected(translator.translate(Symbol('a')), 'TypeError');
      thrown(() => translator.translateStreaming(Symbol('a')), 'TypeError');
    },
  ],
  [
    'the options of an operation may be undefined, null, an object or a function, and nothing else',
    async () => {
      const translator = await echoing();
      for (const options of [undefined, null, {}, () => {}]) same(await translator.translate('a', options), 'a');
      for (const options of [1, 'a', true, Symbol('a')])
        await rejected(translator.translate('a', options), 'TypeError');
      thrown(() => translator.translateStreaming('a', 1), 'TypeError');
      for (const signal of [null, {}]) {
        await rejected(translator.translate('a', { signal }), 'TypeError');
        await rejected(translator.measureInputUsage('a', { signal }), 'TypeError');
        thrown(() => translator.translateStreaming('a', { signal }), 'TypeError');
      }
    },
  ],
  ['further arguments are ignored', async () => same(await (await echoing()).translate('a', {}, Symbol('b')), 'a')],
  [
    'languages that are no Unicode BCP 47 identifiers are RangeErrors, of create() and of availability()',
    async () => {
      const bad = ['', 'e', 'Latn', 'enLatnGBfonipa', '11', 'en_Latn', 'en-Lat', 'en-A999', 'en-', 'i-klingon', 'a b'];
      for (const tag of bad)
        for (const languages of [
          { ...kPair, sourceLanguage: tag },
          { ...kPair, targetLanguage: tag },
        ])
          for (const call of [create, availability]) await rejected(call(languages), 'RangeError');
    },
  ],
  [
    'languages are given back in the canonical spelling',
    async () => {
      const spelt = { sourceLanguage: 'EN-lATN-gb', targetLanguage: 'en-scouse-fonipa' };
      const translator = await create(spelt);
      same([translator.sourceLanguage, translator.targetLanguage], ['en-Latn-GB', 'en-fonipa-scouse']);
    },
  ],
  [
    'LanguageDetector: expectedInputLanguages is a sequence of language tags, of any iterable but a string',
    async () => {
      const ask = (expectedInputLanguages) => globalThis.LanguageDetector.availability({ expectedInputLanguages });
      for (const languages of [null, 'en', 1, {}, [Symbol('en')]]) {
        await rejected(ask(languages), 'TypeError');
        await rejected(detector({ expectedInputLanguages: languages }), 'TypeError');
      }
      await rejected(ask(['en', 'e']), 'RangeError');
      await rejected(detector({ expectedInputLanguages: ['en_GB'] }), 'RangeError');
      for (const languages of [undefined, [], ['en'], new Set(['en', 'EN'])])
        holds(typeof (await ask(languages)) === 'string');
    },
  ],
  [
    'LanguageDetector: the options may be left out, and are read in order',
    async () => {
      for (const options of [[], [undefined], [null], [{}]])
        holds(typeof (await globalThis.LanguageDetector.availability(...options)) === 'string');
      await rejected(globalThis.LanguageDetector.availability(1), 'TypeError');
      const given = watched({ signal: AbortSignal.abort('no'), other: 1 });
      identical(await rejected(detector(given.options)), 'no');
      same(given.read, ['expectedInputLanguages', 'monitor', 'signal']);
    },
  ],
];

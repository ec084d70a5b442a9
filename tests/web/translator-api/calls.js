// A translator's methods: translations, streams, measures, and how they end.
import {
  collected,
  configure,
  holds,
  identical,
  kLong,
  kPair,
  kReal,
  kTiny,
  rejected,
  same,
  sleep,
  thrown,
  with_,
} from './tools.js';

const create = (options) => globalThis.Translator.create({ ...kPair, ...options });
const echoing = (options) => create({ targetLanguage: 'en', ...options });
/** The operations that return a promise. */
const promising = [(translator, text, options) => translator.translate(text, options), (translator, text, options) => translator.measureInputUsage(text, options)]; // prettier-ignore
const kInert = [
  '',
  ' ',
  '     ',
  ' \r\n\t\f',
  '\u200B',
  '\uFEFF\u2060',
  '😀',
  '👩‍👩‍👧 🇫🇷!',
  '123',
  ' 1,234.56 € ',
  '…',
  '\uD800',
  '½ + ¼',
];
/** @param {(translator: any) => unknown} use of a translator, which is destroyed afterwards */
const using = (use, options) => async () => {
  const translator = await create(options);
  try {
    await use(translator);
  } finally {
    translator.destroy();
  }
};

export const calls = [
  [
    'translate() gives the translation, and translateStreaming() its parts as a ReadableStream of strings',
    async () => {
      configure({ models: { 'en-fr': kReal } });
      const translator = await create();
      const text = 'I love you. Thank you.\n';
      const whole = await translator.translate(text);
      same(whole, "Je t'aime. Merci.\n");
      const stream = translator.translateStreaming(text);
      same(Object.prototype.toString.call(stream), '[object ReadableStream]');
      const chunks = await collected(stream);
      same(
        [chunks.join(''), chunks.length > 2, chunks.every((chunk) => typeof chunk === 'string')],
        [whole, true, true],
      );
      const control = await translator.translate('Hello \u0001 world');
      holds(control.startsWith('Bonjour') && control.includes('\u0001') && control.includes('monde'), control);
      translator.destroy();
    },
  ],
  [
    'a text without anything to translate is its own translation, byte for byte',
    using(async (translator) => {
      const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code));
      for (const text of [...kInert, ...controls, '\x7f\x85\x9f']) {
        identical(await translator.translate(text), text);
        identical((await collected(translator.translateStreaming(text))).join(''), text);
      }
    }),
  ],
  [
    'between variants of a language each text is its own translation, byte for byte',
    async () => {
      const translator = await create({ sourceLanguage: 'en-US', targetLanguage: 'en-GB' });
      for (const text of [...kInert, 'Colour. \uDC00 Hello\u0000world', kLong]) {
        identical(await translator.translate(text), text);
        identical((await collected(translator.translateStreaming(text))).join(''), text);
      }
    },
  ],
  [
    'a stream of an empty text has no chunks, and ends',
    using(async (translator) => same(await collected(translator.translateStreaming('')), [])),
  ],
  [
    'inputQuota is a number, and measureInputUsage() is positive, finite and grows with the text',
    using(async (translator) => {
      holds(translator.inputQuota > 0);
      const sizes = await Promise.all(
        ['', 'a', 'a'.repeat(10), 'a'.repeat(1000)].map((text) => translator.measureInputUsage(text)),
      );
      holds(
        sizes.every((size) => size > 0 && Number.isFinite(size)),
        `${sizes}`,
      );
      same([sizes[2] / sizes[1], sizes[3] / sizes[2]], [10, 100]);
    }),
  ],
  ...[
    ['the engine', create],
    ['an echo', echoing],
  ].map(([of, make]) => [
    `a text over the quota of ${of} is a QuotaExceededError with quota and requested, of the browser's class where it has one`,
    async () => {
      const translator = await make();
      for (const letter of ['a', ' ']) {
        const text = letter.repeat(translator.inputQuota + 1);
        const errors = [translator.translate(text), collected(translator.translateStreaming(text))];
        for (const promise of errors) {
          const error = await rejected(promise, 'QuotaExceededError');
          same([error.quota, error.requested], [translator.inputQuota, await translator.measureInputUsage(text)]);
          holds(error instanceof DOMException);
          identical(error.constructor, globalThis.QuotaExceededError ?? DOMException);
        }
      }
      same(await translator.translate(' '), ' ');
      translator.destroy();
    },
  ]),
  [
    'a signal that has aborted rejects translate() and measureInputUsage() with its reason, and nothing else',
    using(async (translator) => {
      const reason = { mine: true };
      for (const call of promising) {
        identical(await rejected(call(translator, 'a', { signal: AbortSignal.abort(reason) })), reason);
        await rejected(call(translator, 'a', { signal: AbortSignal.abort() }), 'AbortError');
      }
      holds((await translator.translate('Hello.')) !== '');
    }),
  ],
  [
    'a signal that aborts rejects what runs with its reason at once, and leaves what runs beside it alone',
    using(async (translator) => {
      for (const call of promising) {
        const [controller, reason] = [new AbortController(), new Error('test')];
        const beside = translator.translate('Hello.');
        const running = rejected(call(translator, kLong, { signal: controller.signal }));
        controller.abort(reason);
        const winner = await Promise.race([
          running,
          Promise.resolve()
            .then(() => Promise.resolve())
            .then(() => sleep(0)),
        ]);
        identical(winner, reason);
        holds(typeof (await beside) === 'string');
      }
      const controller = new AbortController();
      const running = rejected(translator.translate(kLong, { signal: controller.signal }), 'AbortError');
      setTimeout(() => controller.abort(), 20);
      await running;
    }),
  ],
  [
    'an abort in time rejects also what would be ready at once',
    async () => {
      const translator = await echoing();
      for (const call of promising) {
        const controller = new AbortController();
        const running = rejected(call(translator, 'a', { signal: controller.signal }), 'AbortError');
        for (let i = 0; i < 50; i++) await null; // microtasks later, but before the next task
        controller.abort();
        await running;
      }
    },
  ],
  [
    'translateStreaming() throws the reason of a signal that has aborted',
    using((translator) => {
      const reason = new DOMException('test', 'VersionError');
      identical(
        thrown(() => translator.translateStreaming('a', { signal: AbortSignal.abort(reason) })),
        reason,
      );
    }),
  ],
  [
    'a signal that aborts errors a stream at once, whether it is read or not, and what is being read',
    using(async (translator) => {
      for (const isRead of [false, true]) {
        const [controller, reason] = [new AbortController(), new Error('test')];
        const reader = translator.translateStreaming(kLong, { signal: controller.signal }).getReader();
        const reading = isRead ? rejected(reader.read()) : undefined;
        controller.abort(reason);
        identical(await Promise.race([rejected(reader.closed), sleep(20)]), reason);
        if (isRead) identical(await reading, reason);
      }
      const controller = new AbortController();
      const piping = rejected(translator.translateStreaming(kLong, { signal: controller.signal }).pipeTo(new WritableStream()), 'AbortError'); // prettier-ignore
      controller.abort();
      await piping;
    }),
  ],
  [
    'a stream that is cancelled ends without an error, and the translator goes on',
    using(async (translator) => {
      const reader = translator.translateStreaming(kLong).getReader();
      await reader.read();
      identical(await reader.cancel('enough'), undefined);
      same((await reader.read()).done, true);
      holds(typeof (await translator.translate('Hello.')) === 'string');
    }),
  ],
  [
    'destroy() rejects what runs and every later call with an AbortError, the same one, and may be called again',
    async () => {
      const translator = await create();
      const running = promising.map((call) => rejected(call(translator, 'Hello.'), 'AbortError'));
      identical(translator.destroy(), undefined);
      identical(translator.destroy(), undefined);
      const [reason, ...others] = await Promise.all([
        ...running,
        ...promising.map((call) => rejected(call(translator, 'a'))),
      ]);
      holds(reason instanceof DOMException);
      for (const other of others) identical(other, reason);
      identical(
        thrown(() => translator.translateStreaming('a')),
        reason,
      );
      same([translator.sourceLanguage, translator.targetLanguage], ['en', 'fr']);
    },
  ],
  [
    'destroy() errors streams at once, read or not',
    async () => {
      const translator = await create();
      const [read, unread] = [kLong, kLong].map((text) => translator.translateStreaming(text).getReader());
      const reading = rejected(read.read(), 'AbortError');
      translator.destroy();
      await reading;
      await rejected(unread.closed, 'AbortError');
    },
  ],
  [
    'the signal of create() destroys the translator with its reason',
    async () => {
      const [controller, reason] = [new AbortController(), new Error('later')];
      const translator = await create({ signal: controller.signal });
      const running = promising.map((call) => rejected(call(translator, kLong)));
      const closed = rejected(translator.translateStreaming(kLong).getReader().closed);
      controller.abort(reason);
      const ended = [...running, closed, ...promising.map((call) => rejected(call(translator, 'a')))];
      for (const error of await Promise.all(ended)) identical(error, reason);
      identical(
        thrown(() => translator.translateStreaming('a')),
        reason,
      );
      same(await globalThis.Translator.availability(kPair), 'downloadable');
    },
  ],
  [
    "the reason of destruction comes before the call's own",
    async () => {
      const translator = await create();
      translator.destroy();
      await rejected(translator.translate('a', { signal: AbortSignal.abort('own') }), 'AbortError');
    },
  ],
  [
    'what the engine fails with is an UnknownError with its cause, and the next call works',
    async () => {
      const workers = [];
      const watched = class extends Worker {
        constructor(...given) {
          super(...given);
          workers.push(this);
        }
      };
      configure({ models: { 'en-fr': kTiny }, baseUrl: '/dist/assets/' }); // an engine that no other row uses
      await with_(globalThis, 'Worker', watched, async () => {
        const translator = await create();
        const running = rejected(translator.translate(kLong), 'UnknownError');
        same(workers.length, 1);
        workers[0].terminate();
        same((await running).cause.code, 'ENGINE_FAILED');
        holds(typeof (await translator.translate('Hello.')) === 'string');
        translator.destroy();
      });
    },
  ],
  [
    'in a frame that was removed promises reject with InvalidStateError, and a stream throws it',
    async () => {
      const frame = document.createElement('iframe');
      const script = `import { install } from '/dist/translator-api/install.js'; install({ when: 'always' }); globalThis.isReady = true;`;
      frame.srcdoc = `<script type="module">${script}</script>`;
      document.body.append(frame);
      while (!frame.contentWindow.isReady) await sleep(20);
      const { Translator, LanguageDetector } = frame.contentWindow;
      const languages = { sourceLanguage: 'en', targetLanguage: 'en' };
      const translator = await Translator.create(languages);
      frame.remove();
      const promises = [
        Translator.create(languages),
        Translator.availability(languages),
        LanguageDetector.create(),
        LanguageDetector.availability(),
        translator.translate('a'),
        translator.measureInputUsage('a'),
      ];
      for (const promise of promises) {
        const error = await new Promise((resolve, reject) => promise.then(reject, resolve));
        same(error.name, 'InvalidStateError');
      }
      same(thrown(() => translator.translateStreaming('a')).name, 'InvalidStateError');
    },
  ],
];

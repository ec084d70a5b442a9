// LanguageDetector with qkv's own detector, in the page.
import { activated, holds, identical, rejected, same } from './tools.js';

const create = (options) => globalThis.LanguageDetector.create(options);

/** The languages that the specification's tests detect, with a short sentence each. */
const sentences = {
  af: 'Die kinders speel buite in die tuin en die hond slaap by die deur.',
  el: 'Τα παιδιά παίζουν έξω στον κήπο και ο σκύλος κοιμάται.',
  'el-Latn': 'Ta paidia paizoun exo ston kipo kai o skylos koimatai.',
  en: 'The children are playing in the garden and the dog is asleep.',
  es: 'Los niños juegan fuera en el jardín y el perro duerme.',
  fr: 'Les enfants jouent dehors dans le jardin et le chien dort.',
  hi: 'बच्चे बाहर बगीचे में खेल रहे हैं और कुत्ता सो रहा है।',
  'hi-Latn': 'Bachche bahar bageeche mein khel rahe hain aur kutta so raha hai.',
  it: 'I bambini giocano fuori in giardino e il cane dorme.',
  ja: '子供たちは庭で遊んでいて、犬は寝ています。',
  'ja-Latn': 'Kodomotachi wa niwa de asonde imasu, soshite inu wa nete imasu.',
  ko: '아이들이 마당에서 놀고 있고 개는 자고 있습니다.',
  mi: 'Kei te tākaro ngā tamariki i waho i te māra, ā, kei te moe te kurī.',
  nl: 'De kinderen spelen buiten in de tuin en de hond slaapt.',
  ru: 'Дети играют на улице в саду, а собака спит.',
  sr: 'Деца се играју напољу у башти, а пас спава.',
  tr: 'Çocuklar dışarıda bahçede oynuyor ve köpek uyuyor.',
  zh: '孩子们在花园里玩，狗在睡觉。',
  zu: 'Izingane zidlala ngaphandle engadini futhi inja ilele.',
};

export const detection = [
  [
    'LanguageDetector: it is downloadable before the first create(), which needs an action of the user, and then available',
    async () => {
      // The rows of a page share the detector. This row is the first that creates one.
      same(await globalThis.LanguageDetector.availability(), 'downloadable');
      await activated(false, () => rejected(create(), 'NotAllowedError'));
      const loaded = [];
      const monitor = (m) => m.addEventListener('downloadprogress', (event) => loaded.push(event.loaded));
      await create({ monitor });
      same([loaded[0], loaded.at(-1)], [0, 1]);
      same(await globalThis.LanguageDetector.availability(), 'available');
      await activated(false, () => create());
    },
  ],
  [
    'LanguageDetector: detect() gives the likeliest languages first, until their confidences sum up to 0.99, and und last',
    async () => {
      const detector = await create();
      for (const text of ['Please write a sentence in English.', 'Hello world!', 'ja', '', '123']) {
        const results = await detector.detect(text);
        const { detectedLanguage, confidence } = results.pop();
        same(detectedLanguage, 'und');
        const confidences = results.map((result) => result.confidence);
        const sum = confidences.reduce((a, b) => a + b, 0);
        holds(
          confidences.every((one, i) => one > 0 && (i === 0 || one <= confidences[i - 1])),
          text,
        );
        holds(
          results.every((result) => Intl.getCanonicalLocales(result.detectedLanguage)[0] === result.detectedLanguage),
        );
        holds(results.length === 0 || sum - confidences.at(-1) < 0.99);
        holds(Math.abs(sum + confidence - 1) < 1e-9 && confidence >= 0);
      }
      same(await detector.detect(''), [{ confidence: 1, detectedLanguage: 'und' }]);
    },
  ],
  ...Object.entries(sentences).map(([language, text]) => [
    `LanguageDetector: a sentence of ${language} is detected`,
    async () => same((await (await create()).detect(text))[0].detectedLanguage, language),
  ]),
  [
    'LanguageDetector: expectedInputLanguages is a frozen list of canonical tags without repetitions, or null',
    async () => {
      for (const options of [undefined, {}, { expectedInputLanguages: [] }])
        identical((await create(options)).expectedInputLanguages, null);
      const detector = await create({ expectedInputLanguages: ['EN', 'en', 'fr'] });
      same(detector.expectedInputLanguages, ['en', 'fr']);
      identical(detector.expectedInputLanguages, detector.expectedInputLanguages);
      holds(Object.isFrozen(detector.expectedInputLanguages));
    },
  ],
  [
    'LanguageDetector: aborts and destroy() reject detect() and measureInputUsage()',
    async () => {
      const detector = await create();
      const ways = [(options) => detector.detect('a', options), (options) => detector.measureInputUsage('a', options)];
      for (const call of ways) {
        const [controller, reason] = [new AbortController(), new Error('test')];
        const running = rejected(call({ signal: controller.signal }));
        controller.abort(reason);
        identical(await running, reason);
        identical(await rejected(call({ signal: controller.signal })), reason);
        holds((await call()) !== undefined);
      }
      const running = ways.map((call) => rejected(call(), 'AbortError'));
      detector.destroy();
      await Promise.all([...running, ...ways.map((call) => rejected(call(), 'AbortError'))]);
    },
  ],
  [
    'LanguageDetector: the signal of create() destroys the detector with its reason',
    async () => {
      const [controller, reason] = [new AbortController(), new Error('later')];
      const detector = await create({ signal: controller.signal });
      const running = rejected(detector.detect('a'));
      controller.abort(reason);
      for (const promise of [running, rejected(detector.detect('a')), rejected(detector.measureInputUsage('a'))])
        identical(await promise, reason);
    },
  ],
  [
    'LanguageDetector: without a quota a text of any length uses none of it',
    async () => {
      const detector = await create();
      same([detector.inputQuota === Infinity, await detector.measureInputUsage('a'.repeat(1e6))], [true, 0]);
      same((await detector.detect(`${sentences.en} `.repeat(1e4)))[0].detectedLanguage, 'en');
    },
  ],
];

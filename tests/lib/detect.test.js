// qkv/detect: the languages of short texts, which letters decided, hostile texts, and the LanguageDetector of the
// built-in API.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { detectLanguage, languages, loadDetector } from '../../web/lib/detect/index.js';
import { readWeights } from '../../web/lib/detect/weights.js';
import { LanguageDetector } from '../../web/lib/translator-api/index.js';
import { at } from './support.js';

const kFile = 'web/models/detect/languages.bin';

/** A short sentence in each language that the built-in API's public tests ask for, and its tag. */
const kShort = {
  af: 'Waar is my skoene, het jy hulle gesien?',
  el: 'Πού είναι τα παπούτσια μου;',
  'el-Latn': 'Pou einai ta papoutsia mou, ta eides?',
  en: 'Where are my shoes, have you seen them?',
  es: '¿Dónde están mis zapatos, los has visto?',
  fr: 'Où sont mes chaussures, les as-tu vues ?',
  hi: 'मेरे जूते कहाँ हैं, क्या तुमने देखे?',
  'hi-Latn': 'Mere joote kahan hain, kya tumne dekhe?',
  it: 'Dove sono le mie scarpe, le hai viste?',
  ja: '私の靴はどこですか。',
  'ja-Latn': 'Watashi no kutsu wa doko desu ka?',
  ko: '내 신발이 어디에 있어요?',
  mi: 'Kei hea aku hū, kua kite koe?',
  nl: 'Waar zijn mijn schoenen, heb je ze gezien?',
  ru: 'Где мои ботинки, ты их видел?',
  sr: 'Где су моје ципеле, да ли си их видео?',
  tr: 'Ayakkabılarım nerede, onları gördün mü?',
  zh: '我的鞋子在哪里，你看见了吗？',
  zu: 'Ziphi izicathulo zami, uke wazibona?',
};

test('the languages of short sentences are detected', async () => {
  for (const [tag, text] of Object.entries(kShort)) {
    const { language, confidence, candidates } = await detectLanguage(text);
    expect([text, language]).toEqual([text, tag]);
    expect(confidence).toBeGreaterThan(0.4);
    expect(candidates[0]).toEqual({ language, confidence });
    expect(candidates).toHaveLength(3);
  }
});

test('the download is below 200 KB, and knows at least 60 languages', async () => {
  const file = readFileSync(at(kFile));
  expect(file.length).toBeLessThan(200_000);
  expect(gzipSync(file).length).toBeLessThan(200_000 - 10_000); // scripts alone decide the other languages
  const weights = readWeights(new Uint8Array(file).buffer, kFile);
  expect(weights.languages).toEqual([...languages]);
  expect(languages.length).toBeGreaterThanOrEqual(60);
  for (const tag of Object.keys(kShort)) expect(languages).toContain(tag);
  for (const tag of languages) expect(Intl.getCanonicalLocales(tag)).toEqual([tag]);
});

test('case, punctuation and white space do not matter; accents may be apart from their letters', async () => {
  const of = async (text) => (await detectLanguage(text, { top: 5 })).candidates;
  const text = 'Les élèves déjeunent à la cantine.';
  for (const same of [text.toUpperCase(), ` ${text.replaceAll(' ', '\t\n ')}!!!`, text.normalize('NFD')]) {
    expect(await of(same)).toEqual(await of(text));
  }
  const { letters } = await detectLanguage('é'.normalize('NFD').repeat(3), { letters: true });
  expect(letters).toHaveLength(6);
  expect(letters[0]).toBeGreaterThan(0);
});

test('each UTF-16 unit of the text has a share of the attention', async () => {
  const text = 'Where is it? 🙂 3';
  const { letters } = await detectLanguage(text, { letters: true });
  expect(letters).toHaveLength(text.length);
  const sum = letters.reduce((a, b) => a + b, 0);
  expect(sum).toBeGreaterThan(0.1);
  expect(sum).toBeLessThanOrEqual(1);
  for (const [i, share] of letters.entries()) expect(share > 0).toBe(/[a-z]/i.test(text[i]));
  expect('letters' in (await detectLanguage(text))).toBe(false);
});

test('a text without letters is und, and hostile texts take no long time', async () => {
  for (const text of ['', ' ', '123.45 €', '🙂🙃', '\0', '\ud800', '\udc00\ud800', '?!', '\u200b']) {
    expect(await detectLanguage(text)).toEqual({ language: 'und', confidence: 1, candidates: [] });
  }
  expect((await detectLanguage('\ud800Wo ist der Bahnhof?\udc00')).language).toBe('de');
  expect((await detectLanguage('Wo ist\0 der Bahnhof?')).language).toBe('de');
  const start = performance.now();
  for (const part of ['Wo ist der Bahnhof? ', '7', 'a', '\u0301', '🙂', '漢', '\ud800']) {
    const { candidates } = await detectLanguage(part.repeat(10_000_000 / part.length), { letters: true });
    expect(candidates.every(({ confidence }) => confidence >= 0 && confidence <= 1)).toBe(true);
  }
  expect(performance.now() - start).toBeLessThan(20_000);
});

test('invalid calls are refused, and calls can be aborted', async () => {
  const refused = { code: 'INVALID_ARGUMENT' };
  await expect(detectLanguage(/** @type {any} */ (7))).rejects.toMatchObject(refused);
  await expect(detectLanguage('a', { top: 0 })).rejects.toMatchObject({ ...refused, where: 'top' });
  await expect(detectLanguage('a', /** @type {any} */ ({ tops: 1 }))).rejects.toMatchObject({
    ...refused,
    where: 'tops',
  });
  await expect(detectLanguage('a', { signal: AbortSignal.abort('no') })).rejects.toBe('no');
  const lost = { baseUrl: new URL('nowhere/', import.meta.url) };
  await expect(detectLanguage('a', lost)).rejects.toMatchObject({ code: 'MISSING_FILE' });
  await expect(detectLanguage('a', lost)).rejects.toThrow('assets');
});

test('the LanguageDetector of the built-in API uses it', async () => {
  expect(['downloadable', 'available']).toContain(await LanguageDetector.availability());
  expect(await LanguageDetector.availability({ expectedInputLanguages: ['de-AT', 'en'] })).not.toBe('unavailable');
  expect(await LanguageDetector.availability({ expectedInputLanguages: ['tlh'] })).toBe('unavailable');
  const told = [];
  const detector = await LanguageDetector.create({
    expectedInputLanguages: ['de', 'en'],
    monitor: (monitor) => monitor.addEventListener('downloadprogress', ({ loaded }) => told.push(loaded)),
  });
  expect(await LanguageDetector.availability()).toBe('available');
  expect(told.at(0)).toBe(0);
  expect(told.at(-1)).toBe(1);
  const results = await detector.detect('Wo ist denn hier der Bahnhof?');
  expect(results[0]).toMatchObject({ detectedLanguage: 'de' });
  expect(results.at(-1)).toMatchObject({ detectedLanguage: 'und' });
  expect(results.reduce((sum, { confidence }) => sum + confidence, 0)).toBeCloseTo(1, 10);
  const sorted = results.slice(0, -1).map(({ confidence }) => confidence);
  expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
  expect(await detector.detect('1 2 3')).toEqual([{ confidence: 1, detectedLanguage: 'und' }]);
  expect(await detector.measureInputUsage('Wo?')).toBe(0);
  expect(detector.inputQuota).toBe(Infinity);
  detector.destroy();
});

test('every language has its probability', async () => {
  const found = (await loadDetector()).detect('Hallo');
  expect(found.map(({ detectedLanguage }) => detectedLanguage).sort()).toEqual([...languages].sort());
  expect(found.reduce((sum, { confidence }) => sum + confidence, 0)).toBeCloseTo(1, 10);
});

// What happens to calls when a worker dies in a browser, which does not report it.

import { kSure } from '../translations.js';
import { built, openBrowser } from './chromium.js';
import { openFirefox } from './firefox.js';
import { hasWebKit, openWebKit } from './webkit.js';

/**
 * The most milliseconds until a call settles after the death of its worker. A lock reports the death within a few milliseconds.
 */
const kSoon = 1000;

/**
 * Runs in the page: from now on the tests can end a worker by a message, and the page keeps its workers.
 * @param {{locks: boolean}} has whether the page has Web Locks: without HTTPS it has none
 */
function prepare({ locks }) {
  if (!locks) Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined });
  const PageWorker = globalThis.Worker;
  globalThis.workers = [];
  globalThis.Worker = class extends PageWorker {
    constructor(url, options) {
      const obey = `importScripts(${JSON.stringify(String(url))});
        new BroadcastChannel('end').onmessage = ({ data }) => {
          if (data === 'close') self.close();
          if (data === 'throw') throw new Error('ended by a test');
        };`;
      super(URL.createObjectURL(new Blob([obey], { type: 'text/javascript' })), options);
      globalThis.workers.push(this);
    }
  };
  globalThis.end = (how) => {
    if (how === 'terminate') globalThis.workers.at(-1).terminate();
    else new BroadcastChannel('end').postMessage(how);
  };
}

/** Runs in the page: what happens, and how soon, to a running call, the next call, an idle engine and a trainer. */
async function outlive([index, text, how]) {
  const { Translator } = await import(`${index}index.js`);
  const { Trainer } = await import(`${index}train.js`);
  const { default: model } = await import(`${index}models/en-fr/index.js`);
  const pair = { sourceLanguage: 'en', targetLanguage: 'fr', model, store: false };
  const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const ending = async (promise) => {
    await later(100);
    const begin = performance.now();
    globalThis.end(how);
    const code = await promise.then(
      () => 'resolved',
      (error) => error.code,
    );
    return { code, took: performance.now() - begin };
  };

  const translator = await Translator.create(pair);
  const running = await ending(translator.translate('We went home and then we ate. '.repeat(300)));
  const listed = await Translator.availability(pair);
  const next = await translator.translate(text);
  globalThis.end(how);
  await later(500);
  const idle = await Translator.availability(pair);
  const fresh = await Translator.create(pair);
  const both = [await fresh.translate(text), await translator.translate(text)];
  fresh.destroy();
  translator.destroy();

  const trainer = await Trainer.create({ pairs: [['a b', 'b a']] });
  const training = await ending(trainer.run());
  trainer.destroy();
  return { running, listed, next, idle, both, training };
}

const { translation } = kSure;
const expected = {
  running: { code: 'ENGINE_FAILED', took: expect.any(Number) },
  listed: 'downloadable',
  next: translation,
  idle: 'downloadable',
  both: [translation, translation],
  training: { code: 'ENGINE_FAILED', took: expect.any(Number) },
};

describe.each([
  ['Chromium', () => openBrowser(built.package)],
  ['Firefox', () => openFirefox(built.package)],
  ...(hasWebKit ? [['WebKit', () => openWebKit(built.package, { also: { 'models/': built.models } })]] : []),
])('%s', (_, openAny) => {
  let browser;
  beforeAll(async () => {
    browser = await openAny();
  });
  afterAll(() => browser?.close());

  test.each(['close', 'throw', 'terminate'])('calls settle when their worker ends: %s', async (how) => {
    const page = await browser.open('nothing.html');
    await page.evaluate(prepare, { locks: true });
    const seen = await page.evaluate(outlive, [browser.url, kSure.text, how]);
    expect(seen).toEqual(expected);
    expect(Math.max(seen.running.took, seen.training.took)).toBeLessThan(kSoon);
  });

  test('where there are no locks they settle too, after ten seconds without an answer', async () => {
    const page = await browser.open('nothing.html');
    await page.evaluate(prepare, { locks: false });
    const took = await page.evaluate(
      async ([index, text]) => {
        const { Translator } = await import(`${index}index.js`);
        const { default: model } = await import(`${index}models/en-fr/index.js`);
        const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model });
        const running = translator.translate('We went home and then we ate. '.repeat(300)).catch((error) => error.code);
        await new Promise((resolve) => setTimeout(resolve, 100));
        const begin = performance.now();
        globalThis.end('close');
        const code = await running;
        return [performance.now() - begin, code, await translator.translate(text)];
      },
      [browser.url, kSure.text],
    );
    expect(took).toEqual([expect.any(Number), 'ENGINE_FAILED', translation]);
    expect(took[0]).toBeLessThan(15_000);
  });
});

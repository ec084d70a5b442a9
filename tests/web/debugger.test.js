// What happens to calls when somebody ends a worker or one of its threads in the developer tools of Chromium, and when
// a worker uses up its page's memory.

import { kSure } from '../translations.js';
import { built, openBrowser } from './chromium.js';

/** Milliseconds within which a call must settle. */
const kSoon = 1000;
const kIsolated = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/** A page that may use threads, with a translator that is translating a long text. */
async function translatingPage(browser, threads) {
  const body = '<!doctype html><title>A page</title>';
  const page = await browser.open('page.html', {}, (opened) =>
    opened.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', headers: kIsolated, body })),
  );
  const engine = await page.evaluate(
    async ([index, threads]) => {
      const { Translator } = await import(`${index}index.js`);
      const { default: model } = await import(`${index}models/en-fr/index.js`);
      globalThis.translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model, threads });
      await globalThis.translator.translate('Hello.');
      globalThis.running = globalThis.translator.translate('We went home and then we ate. '.repeat(1000)).then(
        () => 'resolved',
        (error) => [error.code, performance.now()],
      );
      return globalThis.translator.info.engine;
    },
    [browser.url, threads],
  );
  return { page, engine };
}

/** Interrupts a worker's computation and closes the worker. */
async function endInDebugger(page, isTarget) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { targetInfos } = await session.send('Target.getTargets');
  const { targetId } = targetInfos.find(({ type, title }) => type === 'worker' && isTarget(title));
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
  const send = (id, method, params = {}) =>
    session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) });
  await send(1, 'Runtime.terminateExecution');
  await send(2, 'Runtime.evaluate', { expression: 'close()' });
}

const isWorker = (title) => title.endsWith('worker.js');
const isThread = (title) => title.startsWith('em-pthread');

let browser;
beforeEach(async () => {
  browser = await openBrowser(built.package, { isolated: true, flags: ['--js-flags=--max-old-space-size=128'] });
});
afterEach(() => browser?.close());

test.each([
  ['a worker is closed', 1, isWorker],
  ['the worker of several threads is closed', 3, isWorker],
  ['one of several threads is closed', 3, isThread],
])('a call that is running rejects when %s, and the next one works', async (_, threads, isTarget) => {
  const { page, engine } = await translatingPage(browser, threads);
  expect(engine === 'threads').toBe(threads > 1);
  const begin = await page.evaluate(() => performance.now());
  await endInDebugger(page, isTarget);
  const [code, end] = await page.evaluate(() => globalThis.running);
  expect(code).toBe('ENGINE_FAILED');
  expect(end - begin).toBeLessThan(kSoon);
  expect(await page.evaluate((text) => globalThis.translator.translate(text), kSure.text)).toBe(kSure.translation);
});

test('a worker that uses up the memory ends its page, and no other page of the site', async () => {
  const [{ page: one }, { page: other }] = [await translatingPage(browser, 1), await translatingPage(browser, 1)];
  const crashed = new Promise((resolve) => one.once('crash', resolve));
  const fill = `onmessage = () => { for (const all = []; all.length < 1500; ) all.push(new Array(1 << 17).fill(0)); };`;
  await one.evaluate((script) => {
    new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))).postMessage(null);
  }, fill);
  await crashed;
  expect(await other.evaluate(() => globalThis.running)).toBe('resolved');
  const again = await one.context().newPage();
  await again.goto(`${browser.url}index.js`);
});

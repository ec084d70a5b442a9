// The Translate page asks for its model before its own code has come.

import { openBrowser, settled, translated } from './chromium.js';

let browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/** A page whose own script comes only when a model's weights have been asked for. @param {string} path */
async function openHeld(path) {
  /** @type {string[]} */
  const asked = [];
  const page = await browser.open(path, {}, async (early) => {
    let ask;
    const isAsked = new Promise((resolve) => (ask = resolve));
    await early.route('**/*.safetensors', (route) => {
      asked.push(new URL(route.request().url()).pathname);
      ask();
      return route.continue();
    });
    await early.route('**/translate.js', (route) => isAsked.then(() => route.continue()));
  });
  return { page, asked };
}

test.each([
  ['', 'en-fr'],
  ['#to=de', 'en-de'],
  ['#text=Good%20morning.&model=bahdanau', 'compared/bahdanau'],
  ['?model=models/compared/plain/', 'compared/plain'],
])('%j: %s is asked for at once, and once', async (path, folder) => {
  const { page, asked } = await openHeld(path);
  await translated(page);
  expect(await page.textContent('#target')).not.toBe('');
  expect(asked).toEqual([`/models/${folder}/model.safetensors`]);
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('another model may be chosen while the first one comes', async () => {
  const page = await browser.open('', {}, (early) =>
    early.route('**/en-fr/model.safetensors', async (route) => {
      await early.waitForFunction(() => document.querySelector('#language')?.value === 'es');
      await route.continue().catch(() => {});
    }),
  );
  await page.selectOption('#language', 'es');
  await settled(page);
  expect(await page.getAttribute('#target', 'lang')).toBe('es');
  expect(await page.textContent('#message')).toContain('en-es');
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

// The target languages of the page: each has its own model, which loads when it is chosen.

import { openBrowser, settled, translated } from './chromium.js';

let browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const kNames = { fr: 'French', de: 'German', es: 'Spanish' };
// Words that a good translation of the page's first sentence is expected to have.
const kBrother = { fr: 'frère', de: 'Bruder', es: 'hermano' };

test('a language loads its model when it is chosen, and everything says so', async () => {
  const asked = [];
  const page = await browser.open('', {}, (opened) =>
    opened.route('**/models/**', (route) => {
      asked.push(new URL(route.request().url()).pathname);
      return route.continue();
    }),
  );
  await settled(page);
  expect(asked.filter((path) => !path.startsWith('/models/en-fr/'))).toEqual([]);
  for (const language of ['de', 'es', 'fr']) {
    await page.selectOption('#language', language);
    await translated(page, `en-${language} `);
    expect(asked).toContain(`/models/en-${language}/model.safetensors`);
    expect(await page.textContent('#target')).toContain(kBrother[language]);
    expect(await page.getAttribute('#target', 'lang')).toBe(language);
    expect(await page.textContent('#caption')).toContain(`a ${kNames[language]} piece`);
    const to = (wanted) => new URLSearchParams(location.hash.slice(1)).get('to') === wanted;
    await page.waitForFunction(to, language === 'fr' ? null : language);
  }
  expect(page.complaints).toEqual([]);
}, 60_000);

test('a link names its language, and a model to compare is one for French', async () => {
  const page = await browser.open('#text=Good%20morning.&to=de');
  await translated(page, 'en-de ');
  expect(await page.inputValue('#language')).toBe('de');
  expect(await page.textContent('#target')).toMatch(/Morgen/);
  await page.selectOption('#model', 'bahdanau');
  await page.waitForFunction(() => document.querySelector('#message').textContent.startsWith('bahdanau '));
  expect(await page.inputValue('#language')).toBe('fr');
  await page.selectOption('#language', 'es');
  await translated(page, 'en-es ');
  expect(await page.inputValue('#model')).toBe('small');
  await page.goBack();
  await page.goBack();
  await translated(page, 'en-de ');
  expect(await page.inputValue('#source')).toBe('Good morning.');
  expect(page.complaints).toEqual([]);
}, 60_000);

test('of a language that does not load nothing is shown, least of all another one; a reason in words, and a second try', async () => {
  const page = await browser.open('', {}, (early) =>
    early.route('**/en-de/model.safetensors', (route) => route.abort()),
  );
  await settled(page);
  await page.selectOption('#language', 'de');
  await page.waitForSelector('#retry:visible');
  expect(await page.textContent('#target')).toBe('');
  expect(await page.$$eval('qkv-pieces[side=target] button, qkv-heads button canvas', (all) => all.length)).toBe(0);
  expect(await page.textContent('#message')).toBe(
    'The model did not load: the file model.safetensors did not come. Check the connection, then try again.',
  );
  expect(await page.getAttribute('#message', 'title')).toContain('/models/en-de/model.safetensors');
  await page.context().setOffline(true);
  await page.click('#retry');
  await page.waitForFunction(() => document.querySelector('#message').textContent.includes('offline'));
  await page.context().setOffline(false);
  await page.unroute('**/en-de/model.safetensors');
  await page.click('#retry');
  await translated(page, 'en-de ');
  expect(await page.textContent('#target')).toContain(kBrother.de);
  expect(await page.getAttribute('#message', 'title')).toBe('');
}, 60_000);

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

/** The languages on both sides, and the page's address for them. */
const languages = (page) =>
  page.evaluate(() => [
    document.querySelector('label[for=source]').textContent,
    document.querySelector('#language').selectedOptions[0].text,
    new URLSearchParams(location.hash.slice(1)).get('to'),
  ]);

test('swapped languages: the translation becomes the text, by the button and by a choice of the language', async () => {
  const page = await browser.open('');
  await settled(page);
  const english = await page.inputValue('#source');
  const french = await page.textContent('#target');
  for (const turn of [() => page.click('#swap'), () => page.selectOption('#language', 'fr-en')]) {
    await turn();
    await translated(page, 'fr-en ');
    expect(await page.inputValue('#source')).toBe(french);
    expect(await page.getAttribute('#source', 'lang')).toBe('fr');
    expect(await page.getAttribute('#target', 'lang')).toBe('en');
    expect(await page.textContent('#target')).toContain('My brother lives in');
    expect(await page.textContent('#caption')).toContain('an English piece');
    expect(await languages(page)).toEqual(['French', 'English', 'fr-en']);
    expect(
      await page.$$eval('#examples button', (all) => all.filter((one) => one.checkVisibility()).map((one) => one.lang)),
    ).toEqual(Array(4).fill('fr'));
    await page.goBack();
    await translated(page, 'en-fr ');
    expect(await page.inputValue('#source')).toBe(english);
    expect(await languages(page)).toEqual(['English', 'French', null]);
  }
  await page.click('#swap');
  await translated(page, 'fr-en ');
  await page.click('#to-pair');
  await page.waitForFunction(() =>
    document.querySelector('#pair-message').textContent.startsWith('These models read English.'),
  );
  expect(page.complaints).toEqual([]);
}, 60_000);

test.each([
  ['de', 'German'],
  ['es', 'Spanish'],
])(
  '%s: the languages are swapped, with examples in it',
  async (tag, name) => {
    const page = await browser.open(`#to=${tag}`);
    await translated(page, `en-${tag} `);
    const text = await page.textContent('#target');
    await page.click('#swap');
    await translated(page, `${tag}-en `);
    expect(await page.inputValue('#source')).toBe(text);
    expect(await page.textContent('#target')).toContain('My brother lives in');
    expect(await languages(page)).toEqual([name, 'English', `${tag}-en`]);
    const examples = await page.$$(`#examples [lang=${tag}]`);
    expect(examples).toHaveLength(4);
    for (const example of examples) {
      await example.click();
      await translated(page, `${tag}-en `);
      expect(await page.textContent('#target')).not.toBe('');
    }
    expect(page.complaints).toEqual([]);
  },
  60_000,
);

test('of text that looks French the page translates by its own model, without another choice', async () => {
  const page = await browser.open('');
  await settled(page);
  await page.fill('#source', 'Je voudrais acheter un billet de train.');
  await page.waitForSelector('#looks:visible');
  expect(await page.textContent('#looks-offer')).toBe('Translate from French');
  await page.click('#looks-offer');
  await translated(page, 'fr-en ');
  expect(await page.inputValue('#source')).toBe('Je voudrais acheter un billet de train.');
  expect(await page.textContent('#target')).toMatch(/ticket/);
  expect(await page.isVisible('#looks')).toBe(false);
  expect(page.complaints).toEqual([]);
}, 60_000);

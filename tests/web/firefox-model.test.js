// A Firefox model on the pages: Translate takes its files, a zip of them or a list of models, and keeps it for the
// visit. Models takes its files. The model is that of tests/goldens/marian, whose words mean nothing.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Translator } from '../../web/lib/index.js';
import { at } from '../lib/support.js';
import { zip } from '../lib/zip.js';
import { openBrowser, settled } from './chromium.js';

const kFolder = 'tests/goldens/marian/ssru-int8';
const names = readdirSync(at(kFolder)).filter((name) => /^(model|lex|vocab)\./.test(name));
/** Published models have such names. */
const files = names.map((name) => ({
  name: name.replace('xxyy', 'encs'),
  mimeType: 'application/octet-stream',
  buffer: readFileSync(join(at(kFolder), name)),
}));
const contents = Object.fromEntries(files.map(({ name, buffer }) => [name, new Uint8Array(buffer)]));
const kSentence = 'My brother lives in a big white house.';

let browser, expected;
beforeAll(async () => {
  browser = await openBrowser();
  const own = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'cs', model: { files: contents } });
  expected = await own.translate(kSentence);
  own.destroy();
});
afterAll(() => browser?.close());

const translation = (page) => page.$eval('#target', (output) => output.textContent.trim());
/** Opens the panel, whose script loads on demand. */
const ask = async (page) => {
  await page.selectOption('#model', 'firefox');
  await page.waitForSelector('#firefox:not([hidden])');
};
const isSaid = (page, text) =>
  page.waitForFunction(
    (wanted) =>
      document.querySelector('#target').getAttribute('aria-busy') === 'false' &&
      document.querySelector('#target').textContent.trim() === wanted,
    text,
  );

/** Serves a list of models with these pairs at lists/models.json, and the model's files for each. */
async function serveList(page, pairs) {
  const all = pairs.map(([sourceLanguage, targetLanguage]) => ({
    sourceLanguage,
    targetLanguage,
    files: files.map(({ name }) => ({ path: name.replace('.gz', '') })),
  }));
  await page.route('**/lists/*', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1);
    if (name === 'models.json') return route.fulfill({ json: { models: { all } } });
    return route.fulfill({ body: gunzipSync(contents[`${name}.gz`]) });
  });
}

/** The names of the languages on both sides. */
const languages = (page) =>
  page.evaluate(() => [
    document.querySelector('label[for=source]').textContent,
    document.querySelector('#language').selectedOptions[0].text,
  ]);
/** Waits until the model with this name is the page's. */
const isOpen = (page, name) =>
  page.waitForFunction((start) => document.querySelector('#message').textContent.startsWith(start), name);

test('Translate takes its files, translates with it, and keeps it while others are picked', async () => {
  const page = await browser.open('index.html');
  await settled(page);
  const first = await translation(page);
  await ask(page);
  expect(await page.$eval('#model', (select) => select.value)).toBe('small');
  await page.setInputFiles('#firefox-files', files);
  await isSaid(page, expected);
  expect(await page.$eval('#firefox', (panel) => panel.hidden)).toBe(true);
  expect(await page.$eval('#model', (select) => select.selectedOptions[0].text)).toBe('Firefox, English to Czech');
  expect(await page.$eval('#target', (output) => output.lang)).toBe('cs');
  const language = () => page.$eval('#language', (select) => select.selectedOptions[0].text);
  expect(await language()).toBe('Czech');
  expect(await page.textContent('#message')).toMatch(/^en-cs · /);
  expect(await page.$$eval('qkv-pieces[side=target] .text', (chips) => chips.length)).toBeGreaterThan(1);
  await page.selectOption('#model', 'small');
  await isSaid(page, first);
  expect(await language()).toBe('French');
  await page.selectOption('#model', 'given');
  await isSaid(page, expected);
  await page.selectOption('#language', 'fr');
  await page.selectOption('#language', 'de');
  await settled(page);
  expect(await page.$eval('#model', (select) => select.value)).toBe('small');
  await page.close();
});

test('a zip, whose languages are typed; what cannot be is reported, and cancelling leaves all as it was', async () => {
  const page = await browser.open('index.html');
  await settled(page);
  await ask(page);
  const archive = { name: 'czech.zip', mimeType: 'application/zip', buffer: Buffer.from(zip(contents)) };
  await page.setInputFiles('#firefox-files', [archive]);
  await page.waitForFunction(() =>
    /translates to: type its tag/.test(document.querySelector('#firefox-message').textContent),
  );
  await page.fill('#firefox-to', 'cs');
  await page.setInputFiles('#firefox-files', [archive]);
  await isSaid(page, expected);
  await ask(page);
  await page.click('#firefox-cancel');
  expect(await page.$eval('#firefox', (panel) => panel.hidden)).toBe(true);
  expect(await page.$eval('#model', (select) => select.value)).toBe('given');
  await page.close();
});

test('a list of models of the site, through English where it has to', async () => {
  const page = await browser.open('index.html');
  await settled(page);
  await serveList(page, [
    ['de', 'en'],
    ['en', 'cs'],
  ]);
  await ask(page);
  await page.fill('#firefox-list', 'lists/models.json');
  await page.fill('#firefox-to', 'pl');
  await page.click('#firefox-open');
  await page.waitForFunction(() =>
    /It has de to en, en to cs/.test(document.querySelector('#firefox-message').textContent),
  );
  await page.fill('#firefox-to', 'cs');
  await page.click('#firefox-open');
  await isSaid(page, expected);
  await ask(page);
  await page.fill('#firefox-from', 'de');
  await page.click('#firefox-open');
  await page.waitForFunction(() => /de-en \+ en-cs/.test(document.querySelector('#message').textContent));
  await settled(page);
  expect(await page.$eval('label[for=source]', (label) => label.textContent)).toBe('German');
  expect(await page.textContent('#model-card-facts')).toBe(
    'two models, one after the other; the drawing shows only single models',
  );
  expect(await page.isVisible('#model-card-drawing')).toBe(false);
  expect(await page.$$eval('qkv-matrix', ([matrix]) => matrix !== undefined)).toBe(true);
  await page.close();
});

test('the languages are swapped where something translates back; where nothing does, the page asks for it', async () => {
  const page = await browser.open('index.html');
  await settled(page);
  await ask(page);
  await page.setInputFiles('#firefox-files', files);
  await isSaid(page, expected);
  await page.click('#swap');
  await page.waitForSelector('#firefox:not([hidden])');
  expect(await page.textContent('#firefox-message')).toBe(
    'No model on this page translates from Czech to English. Bring a model that does.',
  );
  expect([await page.inputValue('#firefox-from'), await page.inputValue('#firefox-to')]).toEqual(['cs', 'en']);
  await page.click('#firefox-cancel');
  expect([await page.inputValue('#source'), await translation(page)]).toEqual([kSentence, expected]);

  await serveList(page, [['cs', 'en']]);
  await page.click('#swap');
  await page.fill('#firefox-list', 'lists/models.json');
  await page.click('#firefox-open');
  await page.waitForFunction((text) => document.querySelector('#source').value === text, expected);
  await isOpen(page, 'cs-en');
  await settled(page);
  expect(await languages(page)).toEqual(['Czech', 'English']);

  await page.fill('#source', expected);
  await page.click('#swap'); // back to the model that was given first
  await isOpen(page, 'en-cs');
  expect(await languages(page)).toEqual(['English', 'Czech']);
  expect(page.complaints).toEqual([]);
  await page.close();
}, 90_000);

test('the languages are swapped by the other model of the same list', async () => {
  const page = await browser.open('index.html');
  await settled(page);
  await serveList(page, [
    ['en', 'cs'],
    ['cs', 'en'],
  ]);
  await ask(page);
  await page.fill('#firefox-list', 'lists/models.json');
  await page.fill('#firefox-to', 'cs');
  await page.click('#firefox-open');
  await isOpen(page, 'en-cs');
  await settled(page);
  const czech = await translation(page);
  await page.click('#swap');
  await isOpen(page, 'cs-en');
  expect(await page.inputValue('#source')).toBe(czech);
  expect(await languages(page)).toEqual(['Czech', 'English']);
  expect(page.complaints).toEqual([]);
  await page.close();
}, 90_000);

test('Models takes its files', async () => {
  const page = await browser.open('models.html');
  await page.setInputFiles('#files', files);
  await page.waitForSelector('#facts:not([hidden])');
  await page.waitForSelector('#translator:not([hidden])');
  expect(await page.textContent('#facts-name')).toBe('model.encs.bin.gz');
  expect(await page.textContent('#facts dl')).toMatch(/translator.*encoder 2, each with 4 heads, decoder/s);
  await page.close();
});

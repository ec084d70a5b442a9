// Pictures of the built pages in their states, to be looked at: 1280 and 390 pixels wide, light and dark.
//
// usage: screenshots.mjs FOLDER

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Translator } from '../../web/lib/index.js';
import { nextFrame, openBrowser, searched, settled, translate } from './chromium.js';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: screenshots.mjs FOLDER');
  process.exit(2);
}

const kLong =
  'When I was young my mother always told me that I should never go out alone at night because the streets of our small ' +
  'town were dark and dangerous, but my friends and I did not listen to her and we often walked along the river until ' +
  'the sun came up over the old bridge and the first trains began to leave the station for the big city far away.';

const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
const saved = Buffer.from(JSON.stringify(await translator.trace('I lost my keys.')));
translator.destroy();

const pointAt = async (page, selector) => {
  await page.hover(selector);
  await nextFrame(page);
  await page.waitForTimeout(200);
};

/** Waits until one of the pages for one text has read it. */
const read = async (page, field) => {
  await page.waitForFunction(
    (selector) =>
      document.querySelector(selector).getAttribute('aria-busy') === 'false' &&
      document.querySelector('qkv-matrix').slice,
    field,
  );
  await page.waitForTimeout(300);
};

/** Each state: what to do before the page loads, and after. */
const states = {
  first: {},
  word: { after: (page) => pointAt(page, 'qkv-pieces[side=target] button >> nth=3') },
  running: { after: (page) => page.locator('#target').hover({ position: { x: 20, y: 14 } }) },
  cell: { after: (page) => page.hover('qkv-matrix .cells', { position: { x: 70, y: 70 } }) },
  head: {
    after: async (page) => {
      await page.check('#kind [value=encoderSelf]', { force: true });
      await page.click('qkv-heads [data-layer="2"][data-head="4"]');
      await pointAt(page, 'qkv-pieces[side=source] button >> nth=1');
    },
  },
  decoder: {
    after: async (page) => {
      await page.check('#kind [value=decoderSelf]', { force: true });
      await pointAt(page, 'qkv-pieces[side=target] button >> nth=4');
    },
  },
  alignment: {
    after: async (page) => {
      await page.check('#kind [value=alignment]', { force: true });
      await page.check('#row-scale');
    },
  },
  lines: { after: (page) => page.check('#view [value=lines]', { force: true }) },
  'lines-word': {
    after: async (page) => {
      await page.check('#view [value=lines]', { force: true });
      await pointAt(page, 'qkv-pieces[side=target] button >> nth=3');
    },
  },
  'lines-long': {
    after: async (page) => {
      await page.check('#view [value=lines]', { force: true });
      await translate(page, kLong);
      await pointAt(page, 'qkv-pieces[side=target] button >> nth=12');
    },
  },
  pinned: { after: (page) => page.click('qkv-pieces[side=target] button >> nth=2') },
  picked: {
    after: async (page) => {
      await page.click('qkv-pieces[side=target] button >> nth=2');
      await page.click('#alternatives button[aria-pressed=false] >> nth=0');
      await settled(page);
    },
  },
  search: { after: (page) => searched(page) },
  'search-wide': {
    after: async (page) => {
      await page.check('#beam [value="8"]', { force: true });
      await searched(page);
      await page.hover('qkv-tree text.dropped >> nth=5');
    },
  },
  'search-long': {
    after: async (page) => {
      await translate(page, kLong);
      await searched(page);
    },
  },
  own: {
    after: async (page) => {
      await page.click('#own-switch');
      await page.fill('#own', 'Mon frère habite un petit château bleu.');
      await settled(page);
      await pointAt(page, 'qkv-pieces[side=target] button >> nth=4');
    },
  },
  saved: {
    before: (page) => page.route('**/*.safetensors', (route) => route.fulfill({ status: 404 })),
    ready: (page) => page.waitForSelector('#retry:visible'),
    after: (page) => page.setInputFiles('#file', { name: 'trace.json', mimeType: 'application/json', buffer: saved }),
  },
  save: { after: (page) => page.click('#save summary') },
  long: {
    after: async (page) => {
      await translate(page, kLong);
      await pointAt(page, 'qkv-pieces[side=target] button >> nth=12');
    },
  },
  several: { after: (page) => translate(page, 'I lost my keys. Did you see them? They were on the table.') },
  carried: {
    after: async (page) => {
      await translate(page, 'It costs $1,234.56 at https://www.example.org/a?b=c, says 😀 @tom_1.');
      await page.click('qkv-pieces[side=target] button:has-text("https")');
    },
  },
  foreign: { after: (page) => translate(page, 'Das ist ein schönes Haus, und ich wohne schon lange hier.') },
  unknown: { after: (page) => translate(page, '🍕🐈‍⬛ ≈ç√ 漢字 Zxqj') },
  empty: {
    after: async (page) => {
      await page.fill('#source', '');
      await page.waitForTimeout(400);
    },
  },
  error: {
    before: (page) => page.route('**/*.safetensors', (route) => route.fulfill({ status: 404 })),
    ready: (page) => page.waitForSelector('#retry:visible'),
  },
  loading: {
    before: (page) => page.route('**/*.safetensors', () => {}), // never answered
    ready: (page) => page.waitForTimeout(1000),
  },
  understand: { path: 'understand.html', ready: (page) => read(page, '#sentence') },
  'understand-two': {
    path: 'understand.html',
    ready: (page) => read(page, '#sentence'),
    after: async (page) => {
      await page.click('.words button >> nth=1');
      await read(page, '#sentence');
      await page.locator('#judges').scrollIntoViewIfNeeded();
      await page.waitForSelector('#capitals .tags li');
      await page.waitForSelector('#questions .bars li');
      await pointAt(page, 'qkv-pieces button >> nth=2');
    },
  },
  generate: { path: 'generate.html', ready: (page) => read(page, '#prompt') },
  'generate-pinned': {
    path: 'generate.html',
    ready: (page) => read(page, '#prompt'),
    after: async (page) => {
      await page.locator('input[name=top-k]').fill('4');
      await page.click('qkv-pieces button >> nth=3');
      await page.check('#view [value=lines]', { force: true });
    },
  },
  lab: {
    path: 'lab.html#experiment=positions',
    ready: (page) => page.waitForSelector('#train:enabled'),
    after: async (page) => {
      await page.click('#train');
      await page.waitForSelector('.verdict:is(.holds, .fails)', { timeout: 120_000 });
    },
  },
  models: { path: 'models.html', ready: (page) => page.waitForSelector('#bring') },
  'models-encoder': {
    path: 'models.html#model=models/english/masked/',
    ready: (page) => read(page, '#sentence'),
    after: (page) => page.click('#tensors summary'),
  },
  'models-translator': {
    path: 'models.html#model=models/en-fr/',
    ready: (page) => read(page, '#source'),
    after: (page) => pointAt(page, '#translator qkv-pieces[side=target] button >> nth=1'),
  },
  'models-error': {
    path: 'models.html',
    ready: (page) => page.waitForSelector('#bring'),
    after: async (page) => {
      await page.setInputFiles('#files', { name: 'cat.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(9) });
      await page.waitForSelector('#status.failed');
    },
  },
};

const only = process.argv.slice(3);
mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
for (const [width, height] of [
  [1280, 900],
  [390, 844],
]) {
  for (const colorScheme of ['light', 'dark']) {
    for (const [name, { path = '', before, ready = settled, after = () => {} }] of Object.entries(states)) {
      if (only.length > 0 && !only.includes(name)) continue;
      const page = await browser.open(path, { viewport: { width, height }, colorScheme }, before);
      await ready(page);
      await after(page);
      await page.waitForTimeout(250);
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      await page.context().close();
    }
  }
}
await browser.close();

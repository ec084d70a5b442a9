// Two models side by side for the sentence in view: they are loaded when the reader asks for them, their matrices are aligned, and
// pointing at a word selects it in both.

import { fileURLToPath } from 'node:url';
import { Translator } from '../../web/lib/index.js';
import { axeFinds, forAxe } from './axe.js';
import { nextFrame, settled, translate } from './chromium.js';
import { kSentence, withPages } from './pages.js';

const shared = withPages();
const folder = (name) => fileURLToPath(new URL(`../../web/models/compared/${name}/`, import.meta.url));
const texts = (page) => page.$$eval('#pair .pane output', (all) => all.map((one) => one.textContent));
const shown = (page, text) =>
  page.waitForFunction((wanted) => document.querySelectorAll('#pair .pane output')[1].textContent === wanted, text, {
    timeout: 60_000,
  });

async function translations(names, text) {
  const all = [];
  for (const name of names) {
    const model = await Translator.create({
      sourceLanguage: 'en',
      targetLanguage: 'fr',
      model: folder(name),
      wasm: 'baseline',
    });
    all.push(await model.translate(text));
    model.destroy();
  }
  return all;
}

test('the ready example is one press away, and loads nothing before; it follows the text', async () => {
  const asked = [];
  const page = await shared.browser.open('?engine=baseline', {}, (opened) =>
    opened.route('**/models/compared/**', (route) => {
      asked.push(new URL(route.request().url()).pathname.split('/')[3]);
      return route.continue();
    }),
  );
  await settled(page);
  expect(asked).toEqual([]);
  await page.click('#to-pair');
  const first = await translations(['plain', 'bahdanau'], 'My brother lives in a big white house.');
  await shown(page, first[1]);
  expect(await texts(page)).toEqual(first);
  expect(new Set(asked)).toEqual(new Set(['plain', 'bahdanau']));
  expect(await page.isVisible('#pair .pane:nth-child(1) .none')).toBe(true);
  expect(await page.isVisible('#pair .pane:nth-child(2) .none')).toBe(false);
  await page.waitForFunction(() => location.hash.includes('pair=plain.bahdanau'));

  const second = await translations(['plain', 'bahdanau'], kSentence);
  await translate(page, kSentence);
  await shown(page, second[1]);
  expect(await texts(page)).toEqual(second);
  expect(page.complaints).toEqual([]);
}, 120_000);

test('matrices of two models have their cells in the same places, and a source piece shows in both', async () => {
  const page = await shared.browser.open('#pair=luong-general.bahdanau', forAxe);
  await settled(page);
  await page.waitForFunction(() => document.querySelectorAll('#pair .pane .base rect').length > 100, null, {
    timeout: 60_000,
  });
  await nextFrame(page);
  const cells = await page.$$eval('#pair .pane', (panes) =>
    panes.map((pane) => {
      const from = pane.getBoundingClientRect();
      const box = pane.querySelector('.base rect').getBoundingClientRect();
      return [box.left - from.left, box.top - from.top, box.width];
    }),
  );
  expect(cells[0]).toEqual(cells[1]);
  const column = page.locator('#pair .pane:nth-child(2) .columns text').nth(2);
  await column.scrollIntoViewIfNeeded();
  await page.$eval('#pair .pane:nth-child(2) qkv-matrix', (matrix) => matrix.selection.point({ query: null, key: 2 }));
  await nextFrame(page);
  const pointed = await page.$$eval('#pair .pane .columns .pointed', (all) => all.map((one) => one.textContent));
  expect(pointed).toEqual(['lives', 'lives']);
  expect((await axeFinds(page)).filter((found) => /pair|pane/.test(found))).toEqual([]);
  expect(page.complaints).toEqual([]);
}, 120_000);

test('a model that does not load is reported, and may be tried again', async () => {
  let isGone = true;
  const page = await shared.browser.open('', { viewport: { width: 390, height: 844 } }, (opened) =>
    opened.route('**/compared/plain/*.safetensors', (route) =>
      isGone ? route.fulfill({ status: 404 }) : route.continue(),
    ),
  );
  await settled(page);
  await page.click('#pair-start');
  await page.waitForFunction(() =>
    document.querySelector('#pair-message').textContent.startsWith('The models did not load'),
  );
  isGone = false;
  await page.click('#pair-start');
  await page.waitForFunction(() => document.querySelectorAll('#pair .pane qkv-pieces button').length > 5, null, {
    timeout: 60_000,
  });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
}, 120_000);

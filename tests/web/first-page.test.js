// What the first page says about the package: its heading, the lines of code that it runs, and its table of speeds.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeFinds, forAxe } from './axe.js';
import { built, settled } from './chromium.js';
import { withPages } from './pages.js';

const shared = withPages();

test('the button runs the lines that are shown', async () => {
  const page = await shared.browser.open('');
  const shown = await page.textContent('.use pre');
  expect(shown).toMatch(/^import \{ Translator \} from 'qkv';\nimport enFr from 'qkv-en-fr';\n/);
  const [, text] = /translate\('([^']+)'\)/.exec(shown);
  await page.click('#run-lines');
  await page.waitForFunction(() => document.querySelector('#lines-output').textContent.length > 1);
  expect(await page.textContent('#lines-output')).toBe(await shared.translator.translate(text));
  expect(page.complaints).toEqual([]);
});

test('the speeds are those of one run of the benchmark', () => {
  const html = readFileSync(join(built.site, 'index.html'), 'utf8');
  const rows = [...html.matchAll(/<tr><th scope="row">(.*?)<\/th><td>(.*?)<\/td><td>(.*?)<\/td><td>(.*?)<\/td>/g)];
  expect(rows).toHaveLength(3);
  const ms = (words) => parseFloat(words) * (words.endsWith(' ms') ? 1 : 1000);
  for (const [, , own, peer, times] of rows) expect(Math.abs(ms(peer) / ms(own) / times - 1)).toBeLessThan(0.1);
});

test.each([1280, 375])(
  'the heading says what the page is, and axe finds nothing in the card, at %i pixels',
  async (width) => {
    const page = await shared.browser.open('', { ...forAxe, viewport: { width, height: 800 } });
    await settled(page);
    expect(await page.isVisible('h1')).toBe(true);
    expect((await page.$('h1').then((h1) => h1.boundingBox())).y).toBeLessThan(150);
    await page.click('text=Use it in your site');
    // The drawings are tested elsewhere.
    expect((await axeFinds(page)).filter((found) => !/: qkv-(tree|matrix)/.test(found))).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  },
);

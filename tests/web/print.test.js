// Printed pages: they have the texts and no controls, and the colours that mean something are printed.

import { openBrowser, settled } from './chromium.js';

let browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/** Which of the elements are visible. @param {import('playwright-core').Page} page @param {string[]} queries */
const seen = (page, queries) =>
  page.evaluate(
    (all) => all.filter((query) => [...document.querySelectorAll(query)].some((one) => one.checkVisibility())),
    queries,
  );

test('a stop on paper has its words, equation, figure and matrices, in colour, and no controls', async () => {
  const page = await browser.open('attention.html#preset=hard', { colorScheme: 'dark' });
  await page.waitForSelector('#scene[data-version]', { state: 'attached' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const read = ['#lesson-about', '#lesson-equation math', '#scene .bars', '#exercise-text', '[data-id=weights] td'];
  expect(await seen(page, read)).toEqual(read);
  expect(
    await seen(page, ['.top', 'nav.path', '.settings', '.controls', '.extras', '.lesson-steps', '.reading-bar']),
  ).toEqual([]);
  const bar = await page.$eval('#scene .bars .bar', (one) => getComputedStyle(one).printColorAdjust);
  expect(bar).toBe('exact');
  const paper = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  expect(paper).toBe('light');
  expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
  await page.context().close();
});

test('a translation on paper has both texts, the matrix and the model', async () => {
  const page = await browser.open('');
  await settled(page);
  await page.emulateMedia({ media: 'print' });
  const read = ['#source', '#target', 'qkv-matrix', '#model-card-drawing'];
  expect(await seen(page, read)).toEqual(read);
  expect(await seen(page, ['.top', '.examples', '#swap', '#play', '.use', '#search'])).toEqual([]);
  await page.context().close();
});

test('a document on paper is its text alone', async () => {
  const page = await browser.open('docs/teaching.html');
  await page.emulateMedia({ media: 'print' });
  expect(await seen(page, ['main h1', 'main table'])).toEqual(['main h1', 'main table']);
  expect(await seen(page, ['.top', '.contents', 'aside'])).toEqual([]);
  await page.context().close();
});

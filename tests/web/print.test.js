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

/** In the page: the colours of the cells of all drawings and matrices, as they are now. */
const colours = () => [
  ...[...document.querySelectorAll('qkv-matrix .base rect, .thumbnail rect')].map(
    (cell) => getComputedStyle(cell).fill,
  ),
  ...[...document.querySelectorAll('qkv-grid td')].map((cell) => getComputedStyle(cell).backgroundColor),
  ...[...document.querySelectorAll('qkv-heads canvas')].map((drawn) => drawn.toDataURL()),
];

test.each([
  ['', 'qkv-heads canvas'],
  ['attention.html#preset=heads', '.thumbnail rect'],
])(
  '/%s: in the dark theme too, cells are printed in the colours for white, and are dark again after it',
  async (path, last) => {
    const open = async (colorScheme) => {
      const page = await browser.open(path, { colorScheme, reducedMotion: 'reduce' });
      await page.waitForSelector(last, { state: 'attached' });
      if (path === '') await settled(page);
      else await page.waitForSelector('#scene[data-version]', { state: 'attached' });
      await page.evaluate(`globalThis.coloursNow = ${colours}`);
      return page;
    };
    const [light, dark] = [await open('light'), await open('dark')];
    const [wanted, before] = [await light.evaluate('coloursNow()'), await dark.evaluate('coloursNow()')];
    expect(wanted.length).toBeGreaterThan(30);
    expect(before.length).toBe(wanted.length);
    expect(before).not.toEqual(wanted);
    await dark.evaluate(() => addEventListener('beforeprint', () => (globalThis.printed = globalThis.coloursNow())));
    await dark.pdf({ format: 'A4' });
    expect(await dark.evaluate('printed')).toEqual(wanted);
    await dark.waitForFunction((first) => JSON.stringify(globalThis.coloursNow()) === first, JSON.stringify(before));
    for (const page of [light, dark]) await page.context().close();
  },
);

// The Translate page as a thing to use: keyboard, screen reader, narrow screens, nothing that jumps.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { nextFrame, openBrowser, settled } from './chromium.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser?.close());

const active = (page) =>
  page.evaluate(() => {
    const { id, tagName, textContent } = document.activeElement;
    return {
      id,
      tag: tagName.toLowerCase(),
      text: textContent,
      inside: document.activeElement.parentElement.closest('[id], qkv-pieces, qkv-heads')?.tagName.toLowerCase(),
    };
  });

/** Presses Tab until the focus is where `there` says. */
async function tabTo(page, there) {
  for (let presses = 0; presses < 40; ++presses) {
    await page.keyboard.press('Tab');
    if (there(await active(page))) return;
  }
  throw new Error('Tab never gets there');
}

test('everything is reached and used by keyboard alone', async () => {
  const page = await browser.open();
  await settled(page);
  await tabTo(page, ({ id }) => id === 'source');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('The old man opened the little window.');
  await settled(page);

  await tabTo(page, ({ inside }) => inside === 'qkv-pieces');
  await page.keyboard.press('ArrowRight');
  expect(await page.textContent('#spoken')).toMatch(/^“old” is seen by “\S+” \d\.\d\d/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.textContent('#reading')).toContain('pinned');
  await page.keyboard.press('Escape');

  await tabTo(page, ({ tag }) => tag === 'qkv-matrix');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  expect(await page.textContent('#spoken')).toMatch(/^“\S+” attends to “The” (<|\d\.)\d/);
  expect(await page.locator('qkv-matrix .outline').count()).toBe(2);

  await tabTo(page, ({ inside }) => inside === 'qkv-heads');
  const before = await page.textContent('#head-name');
  await page.keyboard.press('ArrowRight');
  await nextFrame(page);
  expect(await page.textContent('#head-name')).not.toBe(before);
  expect(await page.locator('qkv-heads [aria-checked=true]').count()).toBe(1);
  expect(await page.evaluate(() => document.activeElement.getAttribute('aria-checked'))).toBe('true');
  expect(page.complaints).toEqual([]);
});

test.each(['light', 'dark'])('axe finds nothing to mend, %s', async (colorScheme) => {
  const page = await browser.open('', { colorScheme, bypassCSP: true });
  await settled(page);
  await page.addScriptTag({ content: axe });
  const finds = async () => {
    const { violations } = await page.evaluate(() =>
      globalThis.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] }),
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`);
  };
  expect(await finds()).toEqual([]);
  await page.check('#view [value=lines]', { force: true });
  await page.click('qkv-pieces[side=target] button >> nth=2');
  expect(await finds()).toEqual([]);
  await page.click('#save summary');
  expect(await finds()).toEqual([]);
  await page.click('#own-switch');
  await settled(page);
  expect(await finds()).toEqual([]);
});

test.each([360, 390, 761, 1280])('never scrolls sideways at %i pixels', async (width) => {
  const page = await browser.open('', { viewport: { width, height: 800 } });
  await settled(page);
  for (const text of ['I like it.', `${'Internationalisation and then we went home '.repeat(8)}.`]) {
    await page.fill('#source', text);
    await settled(page);
    for (const kind of ['cross', 'encoderSelf', 'decoderSelf', 'alignment']) {
      await page.check(`#kind [value=${kind}]`, { force: true });
      await nextFrame(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
  }
});

test('nothing jumps: no layout shift from first paint over loading to another sentence', async () => {
  const page = await browser.open('', {}, (early) =>
    early.addInitScript(() => {
      globalThis.shift = 0;
      const add = (list) => list.getEntries().forEach((entry) => (globalThis.shift += entry.value));
      new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
    }),
  );
  await settled(page);
  await page.fill('#source', 'She told me that she had never been to such a beautiful and quiet place before.');
  await settled(page);
  await page.hover('qkv-pieces[side=target] button >> nth=3');
  await nextFrame(page);
  expect(await page.evaluate(() => globalThis.shift)).toBeLessThan(0.01);
});

test('the theme follows the system, and the switch, which is remembered', async () => {
  const page = await browser.open('', { colorScheme: 'dark' });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await settled(page);
  expect(await paper()).toBe('rgb(20, 22, 26)');
  const ground = await page.$eval('qkv-matrix .base rect', (rect) => rect.getAttribute('fill'));
  await page.check('#theme [value=light]', { force: true });
  await nextFrame(page);
  expect(await paper()).toBe('rgb(252, 252, 250)');
  expect(await page.$eval('qkv-matrix .base rect', (rect) => rect.getAttribute('fill'))).not.toBe(ground);
  await page.reload();
  expect(await paper()).toBe('rgb(252, 252, 250)');
});

test('works from a sub-path', async () => {
  const page = await browser.open('', {}, (early) =>
    early.route('**/deep/er/**', (route) => route.continue({ url: route.request().url().replace('/deep/er', '') })),
  );
  await page.goto(`${browser.url}deep/er/`);
  await settled(page);
  expect(page.complaints).toEqual([]);
});

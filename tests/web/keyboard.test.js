// Every control of the Translate page can be reached by Tab and used by keyboard.

import { nextFrame, searched, settled } from './chromium.js';
import { kSentence, withPages } from './pages.js';
import { controls, stops } from './tabs.js';

const pages = withPages();

/** Presses Tab until the focus is on the element of a selector. */
async function tabTo(page, selector, key = 'Tab') {
  for (let presses = 0; presses < 90; ++presses) {
    await page.keyboard.press(key);
    if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
  }
  throw new Error(`Tab never gets to ${selector}`);
}

test.each([
  ['at first', async () => {}],
  [
    'with a piece pinned, in lines',
    async (page) => {
      await page.check('#view [value=lines]', { force: true });
      await page.click('qkv-pieces[side=target] button >> nth=2');
    },
  ],
  [
    'with a choice made',
    async (page) => {
      await page.click('qkv-pieces[side=target] button >> nth=2');
      await page.click('#alternatives [aria-pressed=false] >> nth=0');
      await settled(page);
    },
  ],
  [
    'with the reader’s own translation',
    async (page) => {
      await page.click('#own-switch');
      await settled(page);
    },
  ],
])('Tab stops at every control, %s', async (_, prepare) => {
  const page = await pages.browser.open();
  await settled(page);
  await prepare(page);
  const reached = await stops(page);
  expect((await controls(page)).filter((control) => !reached.has(control))).toEqual([]);
});

test('and at those of the open menus', async () => {
  const page = await pages.browser.open();
  await settled(page);
  for (const menu of ['#save', '#save-search']) {
    await tabTo(page, `${menu} summary`);
    await page.keyboard.press('Enter');
    const inside = await page.locator(`${menu} .sheet :is(button, input:not([hidden]))`).count();
    for (let i = 0; i < inside; ++i) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate((id) => !!document.activeElement.closest(`${id} .sheet`), menu)).toBe(true);
    }
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement.localName)).toBe('summary');
  }
});

test('the texts, the pieces and what might have been', async () => {
  const page = await pages.browser.open();
  await settled(page);
  await tabTo(page, '#theme input');
  await page.keyboard.press('ArrowRight');
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
  await tabTo(page, '#source');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(kSentence);
  await settled(page);

  await tabTo(page, 'qkv-pieces[side=source] button');
  await page.keyboard.press('ArrowRight');
  expect(await page.textContent('#spoken')).toMatch(/^“old” is seen by “\S+” \d\.\d\d/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.textContent('#reading')).toContain('pinned');
  await page.keyboard.press('Escape');

  await tabTo(page, '#own-switch');
  await page.keyboard.press('Space');
  expect(await page.evaluate(() => document.activeElement.id)).toBe('own');
  await page.keyboard.type(' Oui.');
  await settled(page);
  await tabTo(page, '#own-switch', 'Shift+Tab');
  await page.keyboard.press('Space');
  await settled(page);
  expect(await page.isVisible('#target')).toBe(true);

  const usual = await page.textContent('#target');
  await tabTo(page, 'qkv-pieces[side=target] button');
  await page.keyboard.press('Enter');
  await tabTo(page, '#alternatives [aria-pressed=false]');
  await page.keyboard.press('Enter');
  await page.waitForFunction((text) => document.querySelector('#target').textContent !== text, usual);
  await settled(page);
  await tabTo(page, '#undo', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.waitForFunction((text) => document.querySelector('#target').textContent === text, usual);

  await tabTo(page, '#examples button:nth-child(2)');
  await page.keyboard.press('Enter');
  await settled(page);
  expect(await page.inputValue('#source')).toBe('Could you help me, please?');
  expect(page.complaints).toEqual([]);
});

test('the kinds, the views, the scale, the matrix, the heads, the files', async () => {
  const page = await pages.browser.open();
  await settled(page);
  await tabTo(page, '#kind input');
  await page.keyboard.press('ArrowRight');
  expect(await page.textContent('#head-name')).toContain('Encoder');
  await page.keyboard.press('ArrowLeft');
  await tabTo(page, '#row-scale');
  await page.keyboard.press('Space');
  expect(await page.getAttribute('qkv-legend', 'scaling')).toBe('row');

  await tabTo(page, 'qkv-matrix');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  expect(await page.textContent('#spoken')).toMatch(/^“\S+” attends to “My” (<|\d\.)\d/);
  expect(await page.locator('qkv-matrix .outline').count()).toBe(2);

  await tabTo(page, 'qkv-heads button');
  const before = await page.textContent('#head-name');
  await page.keyboard.press('ArrowRight');
  await nextFrame(page);
  expect(await page.textContent('#head-name')).not.toBe(before);
  expect(await page.locator('qkv-heads [aria-checked=true]').count()).toBe(1);
  expect(await page.evaluate(() => document.activeElement.getAttribute('aria-checked'))).toBe('true');

  await tabTo(page, '#view input', 'Shift+Tab');
  await page.keyboard.press('ArrowRight');
  await tabTo(page, 'qkv-lines');
  await page.keyboard.press('ArrowRight');
  expect(await page.textContent('#spoken')).toMatch(/attends to/);

  await tabTo(page, '#save summary', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, '#save [value=json]');
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  expect(download.suggestedFilename()).toBe('qkv-trace.json');
  // The browser needs some time before the key to know that a file chooser will be intercepted.
  const chooser = page.waitForEvent('filechooser');
  await tabTo(page, '#open');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(await download.path());
  await page.waitForFunction(() => document.querySelector('#message').textContent.startsWith('A saved trace'));
  expect(page.complaints).toEqual([]);
});

test('the search: its width, its tree, its files', async () => {
  const page = await pages.browser.open();
  await settled(page);
  await tabTo(page, '#beam input');
  await searched(page);
  await page.keyboard.press('ArrowLeft');
  await searched(page);
  expect(await page.$$eval('qkv-tree text', (all) => all.filter((one) => one.textContent.includes(' · ')).length)).toBe(
    2,
  );
  await tabTo(page, '#save-search summary');
  await page.keyboard.press('Enter');
  await tabTo(page, '#save-search [value=svg]');
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  expect(download.suggestedFilename()).toBe('qkv-search.svg');
  await tabTo(page, 'qkv-tree');
  await page.keyboard.press('ArrowRight');
  expect(await page.textContent('#search-message')).toContain('probability');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#undo:visible');
  expect(page.complaints).toEqual([]);
});

test('what failed is tried again', async () => {
  const missing = (page) => page.route('**/*.safetensors', (route) => route.fulfill({ status: 404 }));
  const page = await pages.browser.open('', {}, missing);
  await page.waitForSelector('#retry:visible');
  await page.unroute('**/*.safetensors');
  await tabTo(page, '#retry');
  await page.keyboard.press('Enter');
  await settled(page);
  expect(await page.textContent('#target')).not.toBe('');
});

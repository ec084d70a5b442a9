// What is changed and asked on the page Translate, in browsers that are not Chromium, and what axe finds there.

import { axeFindsIn } from './axe.js';
import { isAllDrawn, kAll } from './changed.js';
import { openFirefox } from './firefox.js';
import { hasWebKit, openWebKit } from './webkit.js';

const kPath = `?engine=baseline#${kAll}`;

/** In the page: presses + at the cell of row 2 and column 3 of the large matrix. */
const raise = () => {
  const matrix = document.querySelector('.card.attention qkv-matrix');
  matrix.selection.pin({ query: 1, key: 2 });
  matrix.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true, cancelable: true }));
};
const isRaised = () => document.querySelectorAll('#changes-list li').length === 4;

test('Firefox', async () => {
  const firefox = await openFirefox();
  try {
    const page = await firefox.open(kPath);
    await page.waitForFunction(isAllDrawn, { timeout: 100_000 });
    expect(await axeFindsIn(page)).toEqual([]);
    await page.evaluate(raise);
    await page.waitForFunction(isRaised);
    await page.click('#changes-undo');
    await page.waitForFunction(() => !document.querySelector('#changes').classList.contains('open'));
    expect(page.complaints).toEqual([]);
  } finally {
    await firefox.close();
  }
}, 200_000);

(hasWebKit ? test : test.skip)(
  'WebKit',
  async () => {
    const webkit = await openWebKit();
    try {
      const page = await webkit.open(kPath);
      await page.waitFor(isAllDrawn);
      expect(await axeFindsIn(page)).toEqual([]);
      await page.evaluate(raise);
      await page.waitFor(isRaised);
      await page.click('#changes-undo');
      await page.waitFor(() => !document.querySelector('#changes').classList.contains('open'));
      expect(await page.complaints()).toEqual([]);
    } finally {
      await webkit.close();
    }
  },
  200_000,
);

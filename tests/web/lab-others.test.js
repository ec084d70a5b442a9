// The page Lab in browsers that are not Chromium: a model learns there, and its matrix is drawn.

import { axeFindsIn } from './axe.js';
import { openFirefox } from './firefox.js';
import { hasWebKit, openWebKit } from './webkit.js';

const kPage =
  'lab.html#task=copy&seed=2&rate=0.005&lengths=2-4&model=luong.16.general.global.hard&other=transformer.16.1.2';

/** In the page. */
const isReady = () => !document.querySelector('#train').disabled;
const hasLearnt = () =>
  [...document.querySelectorAll('.facts-line')].every((one) => Number(/Step (\d+)/.exec(one.textContent)?.[1]) >= 40) &&
  document.querySelectorAll('qkv-matrix .base rect').length > 8 &&
  document.querySelectorAll('.curve path.line').length === 4;

const showGradients = () =>
  document.querySelectorAll('[data-name^=Numbers] [value=gradient]').forEach((radio) => radio.click());
const hasGradients = () =>
  [...document.querySelectorAll('.pane qkv-matrix')].every(({ slice }) => slice?.signed) &&
  [...document.querySelectorAll('.gradient-text')].every((one) => one.textContent.startsWith('Loss'));

test('Firefox', async () => {
  const firefox = await openFirefox();
  try {
    const page = await firefox.open(kPage);
    await page.waitForFunction(isReady, { timeout: 100_000 });
    await page.click('#train');
    await page.waitForFunction(hasLearnt, { timeout: 100_000 });
    await page.click('#train');
    await page.evaluate(showGradients);
    await page.waitForFunction(hasGradients, { timeout: 60_000 });
    expect(await axeFindsIn(page)).toEqual([]);
    expect(page.complaints).toEqual([]);
  } finally {
    await firefox.close();
  }
}, 240_000);

(hasWebKit ? test : test.skip)(
  'WebKit',
  async () => {
    const webkit = await openWebKit();
    try {
      const page = await webkit.open(kPage);
      await page.waitFor(isReady);
      await page.click('#train');
      await page.waitFor(hasLearnt);
      await page.click('#train');
      await page.evaluate(showGradients);
      await page.waitFor(hasGradients);
      expect(await axeFindsIn(page)).toEqual([]);
      expect(await page.complaints()).toEqual([]);
    } finally {
      await webkit.close();
    }
  },
  240_000,
);

// The page Lab in browsers that are not Chromium: a model learns there, and its matrix is drawn.

import { axeFindsIn } from './axe.js';
import { testInOtherBrowsers } from './other-browsers.js';

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

testInOtherBrowsers(
  kPage,
  async (page) => {
    await page.waitFor(isReady);
    await page.click('#train');
    await page.waitFor(hasLearnt);
    await page.click('#train');
    await page.evaluate(showGradients);
    await page.waitFor(hasGradients);
    expect(await axeFindsIn(page)).toEqual([]);
  },
  { timeout: 240_000 },
);

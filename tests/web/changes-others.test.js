// Interventions and explanations on the page Translate, in browsers that are not Chromium, and what axe finds there.

import { axeFindsIn } from './axe.js';
import { isAllDrawn, kAll } from './changed.js';
import { testInOtherBrowsers } from './other-browsers.js';

const kPath = `?engine=baseline#${kAll}`;

/** In the page: presses + at the cell of row 2 and column 3 of the large matrix. */
const raise = () => {
  const matrix = document.querySelector('.card.attention qkv-matrix');
  matrix.selection.pin({ query: 1, key: 2 });
  matrix.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true, cancelable: true }));
};
const isRaised = () => document.querySelectorAll('#changes-list li').length === 4;

testInOtherBrowsers(kPath, async (page) => {
  await page.waitFor(isAllDrawn);
  expect(await axeFindsIn(page)).toEqual([]);
  await page.evaluate(raise);
  await page.waitFor(isRaised);
  await page.click('#changes-undo');
  await page.waitFor(() => !document.querySelector('#changes').classList.contains('open'));
});

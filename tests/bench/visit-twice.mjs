// Visits a page twice, as on a slow phone. The first visit finds nothing in the cache. The second visit, in another tab, finds what the
// first visit stored. The page's own thread runs at a quarter of its speed. Workers run at full speed, because Chromium slows only
// the page's thread.

import { chromium } from 'playwright-core';
import { openBare } from './hosts/bare.mjs';
import { kFlags } from './hosts/chromium.mjs';

const kLongest = 120_000; // ms

/**
 * @param {string} url
 * @param {(page: import('./hosts/bare.mjs').BarePage) => Promise<number>} ready waits until the page is ready and has stored its
 *   files; returns how many milliseconds the page needed until it was ready
 * @returns {Promise<{cold: number, warm: number}>} milliseconds; cold: of the first visit; warm: of the second visit
 */
export async function visitTwice(url, ready) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: kFlags });
  const visit = async () => {
    const page = await openBare(browser, { isShared: true });
    await page.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.goto(url);
    const milliseconds = await ready(page);
    await page.close();
    return milliseconds;
  };
  try {
    return { cold: await visit(), warm: await visit() };
  } finally {
    await browser.close();
  }
}

/**
 * Calls a function in a page again and again until it returns a true value, and returns that value.
 * @param {import('./hosts/bare.mjs').BarePage} page
 * @param {() => any} find
 * @param {number} [pause] milliseconds between two calls
 */
export async function until(page, find, pause = 100) {
  for (let waited = 0; waited < kLongest; waited += pause) {
    const found = await page.evaluate(find);
    if (found) return found;
    await new Promise((later) => void setTimeout(later, pause));
  }
  throw new Error(`a page is not ready after ${kLongest} ms`);
}

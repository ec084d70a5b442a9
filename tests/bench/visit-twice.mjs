// Two visits of a page on a slow phone: with nothing cached, then in another tab, with what the first visit left. The page's own
// thread has a quarter of the processor. Workers have all of it, because Chromium slows the page's thread alone.

import { chromium } from 'playwright-core';
import { openBare } from './hosts/bare.mjs';
import { kFlags } from './hosts/chromium.mjs';

const kLongest = 120_000; // ms

/**
 * @param {string} url
 * @param {(page: import('./hosts/bare.mjs').BarePage) => Promise<number>} ready waits until the page is ready and has kept its
 *   files; returns the milliseconds from its opening until it was ready
 * @returns {Promise<{cold: number, warm: number}>} what `ready` returned for the first and for the second visit
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
 * What a function in a page returns when it no longer returns nothing.
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

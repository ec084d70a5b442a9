// Runs the same steps in Firefox and in WebKit, the browsers that are not Chromium.

import { openFirefox } from './firefox.js';
import { hasWebKit, openWebKit } from './webkit.js';

const kPatience = 100_000; // ms; the machine may be busy with other tests

/**
 * A page in a browser of either driver.
 * @typedef {object} OtherPage
 * @property {(use: any, ...values: any[]) => Promise<any>} evaluate calls a function in the page
 * @property {(use: any, ...values: any[]) => Promise<any>} waitFor waits until a function returns a true value in the page
 * @property {(selector: string) => Promise<unknown>} click
 * @property {(point: {x: number, y: number}) => Promise<unknown>} clickAt a point in window coordinates
 * @property {() => Promise<string[]>} complaints errors on the console, uncaught errors, and violations of the policy
 */

/** @param {import('./firefox.js').WatchedPage} page @returns {OtherPage} */
const pageOfFirefox = (page) => ({
  evaluate: (use, ...values) => page.evaluate(use, ...values),
  waitFor: (use, ...values) => page.waitForFunction(use, { timeout: kPatience }, ...values),
  click: (selector) => page.click(selector),
  clickAt: ({ x, y }) => page.mouse.click(x, y),
  complaints: async () => page.complaints,
});

/**
 * Opens a page, runs the steps, and expects that the page has no complaints.
 * @param {Promise<{open: (path: string) => Promise<any>, close: () => Promise<void>}>} opening a browser
 * @param {string} path
 * @param {(page: any) => OtherPage} pageOf
 * @param {(page: OtherPage) => Promise<unknown>} steps
 */
async function run(opening, path, pageOf, steps) {
  const browser = await opening;
  try {
    const page = pageOf(await browser.open(path));
    await steps(page);
    expect(await page.complaints()).toEqual([]);
  } finally {
    await browser.close();
  }
}

/**
 * Defines a test in Firefox and a test in WebKit, which is skipped where WebKit is not installed.
 * @param {string} path of the page, with its query
 * @param {(page: OtherPage) => Promise<unknown>} steps
 * @param {{folder?: string, timeout?: number}} [options] the folder that is served, by default the pages
 */
export function testInOtherBrowsers(path, steps, { folder, timeout = 200_000 } = {}) {
  test('Firefox', () => run(openFirefox(folder), path, pageOfFirefox, steps), timeout);
  (hasWebKit ? test : test.skip)('WebKit', () => run(openWebKit(folder), path, (page) => page, steps), timeout);
}

// Opens Chromium with the built pages, for these tests and for screenshots.mjs.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../../web/tools/serve.mjs';

// The features that the tests switch off in Chromium. Chromium uses only the last flag of this kind, and Playwright sets one
// too. So this list repeats all of Playwright's features. It adds the two features whose names begin with WebUIOmnibox. They
// make Chromium load two extra pages in each window, for the address bar. These pages cost as much processor time as a page of
// the demo.
const kDisabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

const kFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu', // one process less: opening a page takes a tenth less processor time
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${kDisabledFeatures.join(',')}`,
];

/** The options for Playwright to launch the Chromium of the tests. */
export const launchOptions = { executablePath: '/usr/bin/chromium', args: kFlags };

export const built = {
  site: fileURLToPath(new URL('../../build/site', import.meta.url)),
  package: fileURLToPath(new URL('../../dist', import.meta.url)),
  models: fileURLToPath(new URL('../../web/models', import.meta.url)),
};

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {Page & {complaints: string[]}} WatchedPage `complaints`: errors on the console, uncaught errors, and
 *   violations of the Content-Security-Policy
 */

/**
 * Opens a browser and serves a folder, by default the pages. For another folder the models are served too, as models/en-fr/.
 * @param {string} [folder]
 * @param {import('../../web/tools/serve.mjs').ServeOptions & {flags?: string[]}} [options] `flags`: further flags of the browser
 */
export async function openBrowser(folder = built.site, { flags = [], ...options } = {}) {
  if (!existsSync(folder)) throw new Error(`${folder} is not there: run \`npm run build\` first`);
  const also = folder === built.site ? {} : { 'models/': built.models };
  const server = await serve(folder, { also, ...options });
  const browser = await chromium.launch({ ...launchOptions, args: [...kFlags, ...flags] });

  /**
   * Opens a page in its own context.
   * @param {string} [path] with its query
   * @param {import('playwright-core').BrowserContextOptions} [options]
   * @param {(page: Page) => Promise<unknown>} [prepare] called before the page loads
   * @returns {Promise<WatchedPage>}
   */
  async function open(path = '', options = {}, prepare = async () => {}) {
    // Service workers are off, because they hide requests from the tests. The tests of offline pages switch them on.
    const plain = /** @type {const} */ ({ viewport: { width: 1280, height: 900 }, serviceWorkers: 'block' });
    const context = await browser.newContext({ ...plain, ...options });
    const page = await context.newPage();
    const complaints = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.exposeFunction('qkvViolation', (violation) => complaints.push(`CSP: ${violation}`));
    await page.addInitScript(() => {
      const report = (event) => globalThis.qkvViolation(`${event.violatedDirective} ${event.blockedURI}`);
      document.addEventListener('securitypolicyviolation', report);
    });
    await prepare(page);
    await page.goto(server.url + path);
    return Object.assign(page, { complaints });
  }

  async function close() {
    await browser.close();
    await server.close();
  }

  return { open, close, url: server.url };
}

/** Waits until the visible translation and attention belong to the text. @param {Page} page */
export async function settled(page) {
  await page.waitForFunction(() => {
    const isBusy = document.querySelector('#target').getAttribute('aria-busy') === 'true';
    return !isBusy && document.querySelector('qkv-matrix').slice && document.querySelector('qkv-heads button');
  });
  await nextFrame(page);
}

/**
 * Waits until a chosen model has translated and the status line says so. Heads are not waited for: a model may have none.
 * @param {Page} page
 * @param {string} [start] the beginning of the status line: the name of the model
 */
export async function translated(page, start = '') {
  await page.waitForFunction((wanted) => {
    const status = document.querySelector('#message').textContent;
    const isBusy = document.querySelector('#target').getAttribute('aria-busy') !== 'false';
    return !isBusy && status.startsWith(wanted) && status.includes('pieces/s');
  }, start);
  await nextFrame(page);
}

/** Scrolls to the search card and waits until it shows the search for the sentence. @param {Page} page */
export async function searched(page) {
  await page.locator('qkv-tree').scrollIntoViewIfNeeded();
  await page.waitForFunction(
    () =>
      document.querySelector('#search').getAttribute('aria-busy') === 'false' &&
      document.querySelector('qkv-tree').search,
  );
  await nextFrame(page);
}

/** Waits for two frames: views draw once for each frame. @param {Page} page */
export const nextFrame = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Replaces the text; returns the translation that is shown. @param {Page} page @param {string} text */
export async function translate(page, text) {
  await page.fill('#source', text);
  await settled(page);
  return page.textContent('#target');
}

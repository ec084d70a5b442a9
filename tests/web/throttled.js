// Loads a page as slowly as a phone does. The page's thread runs at a quarter of its speed. The network transfers 10 Mbit/s and
// delays each request by 40 ms. Measures the size of the page's JavaScript, and how far its layout shifts. The command throttled.mjs
// measures the time until a page is ready.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { built } from './chromium.js';

/** Whether the Lab's models are there and its matrices are drawn. */
const isLabReady = () =>
  document.querySelector('#train')?.disabled === false && !!document.querySelector('qkv-matrix')?.slice;

/** For each page, whether it is ready. Runs in the page. */
export const kPages = {
  '': () =>
    document.querySelector('#target')?.getAttribute('aria-busy') === 'false' &&
    !!document.querySelector('qkv-matrix')?.slice,
  'attention.html': () => !!document.querySelector('#scene')?.dataset.version,
  'attention.html?lang=zh': () => !!document.querySelector('#scene')?.dataset.version,
  'understand.html': () => !!document.querySelector('qkv-matrix')?.slice,
  'generate.html': () => !!document.querySelector('qkv-matrix')?.slice,
  'models.html': () => !!document.querySelector('#bring'),
  'lab.html': isLabReady,
  'lab.html#experiment=heads': isLabReady,
  'docs/': () => document.readyState === 'complete',
};

/** Sums the shifts of the layout that no input caused. Runs in the page before all else. */
function watchShifts() {
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}

/** Slows the network, and the page's thread; workers run at full speed. @param {import('playwright-core').Page} page */
async function slowDown(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  const bytes = 10e6 / 8;
  const conditions = { offline: false, latency: 40, downloadThroughput: bytes, uploadThroughput: bytes };
  await session.send('Network.emulateNetworkConditions', conditions);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/**
 * @param {{open: typeof import('./chromium.js').openBrowser extends (...args: any[]) => Promise<infer B> ? B['open'] : never}} browser
 * @param {string} path a key of kPages
 * @param {import('playwright-core').BrowserContextOptions} [options]
 * @returns {Promise<{shift: number, script: number}>} the shift of the layout; the gzipped bytes of the page's JavaScript
 */
export async function measured(browser, path, options = {}) {
  const scripts = new Set();
  const prepare = async (page) => {
    page.setDefaultNavigationTimeout(60_000);
    await page.addInitScript(watchShifts);
    await slowDown(page);
    page.context().on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('.js')) scripts.add(pathname.slice(1));
    });
  };
  const page = await browser.open(path, options, prepare);
  await page.waitForFunction(kPages[path], null, { timeout: 90_000, polling: 50 });
  await page.waitForTimeout(500);
  const shift = await page.evaluate(() => globalThis.shifted);
  await page.context().close();
  const weigh = (name) => gzipSync(readFileSync(join(built.site, name))).length;
  const script = [...scripts].reduce((sum, name) => sum + weigh(name), 0);
  return { shift, script };
}

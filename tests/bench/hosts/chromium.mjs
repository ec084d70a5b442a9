// Engines in Chromium, each in its own page and process; cross-origin isolated, for a clock of 5 microseconds.

import { chromium } from 'playwright-core';
import { serve } from '../../../web/tools/serve.mjs';
import { at } from '../../../web/tools/common.mjs';
import { openBare } from './bare.mjs';

export const kFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * @param {object} builds
 * @param {string[]} [flags] of V8's
 */
export async function openChromium(builds, flags = []) {
  const server = await serve(at(), { isolated: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: [...kFlags, ...(flags.length > 0 ? [`--js-flags=${flags.join(' ')}`] : [])],
  });

  /** @param {{engine: string, options: object}} contender */
  async function open({ engine, options }) {
    const page = await openBare(browser);
    await page.goto(`${server.url}tests/bench/hosts/page.html`);
    await page.evaluate(
      async (contender) => {
        const { openHere, wasmBytes } = await import('/tests/bench/hosts/page.mjs');
        globalThis.session = await openHere(contender);
        globalThis.wasmBytes = wasmBytes;
      },
      { builds, engine, options },
    );
    return {
      sample: (...args) => page.evaluate((given) => globalThis.session.sample(...given), args),
      release: () => release(page),
      memory: () => memoryOf(page),
      close: () => page.close(),
    };
  }

  async function close() {
    await browser.close();
    await server.close();
  }

  /** What its V8 makes of the dot product of bytes. */
  async function dot() {
    const page = await openBare(browser);
    await page.goto(`${server.url}tests/bench/hosts/page.html`);
    const way = await page.evaluate(async () => (await import('/tests/bench/dot.mjs')).byteDot());
    await page.close();
    return way;
  }
  return { open, close, dot, version: browser.version() };
}

/** @param {import('./bare.mjs').BarePage} page */
async function collectGarbage(page) {
  for (let i = 0; i < 2; ++i) await page.send('HeapProfiler.collectGarbage');
}

/** Frees what was prepared, engines that were started for one run among it. @param {import('./bare.mjs').BarePage} page */
async function release(page) {
  await page.evaluate(() => globalThis.session.release());
  await collectGarbage(page);
}

/**
 * The memory of the page's own thread after garbage collection.
 * @param {import('./bare.mjs').BarePage} page
 * @returns {Promise<{wasm: number, javascript: number}>} bytes; javascript: its heap and its buffers
 */
async function memoryOf(page) {
  await collectGarbage(page);
  const { usedSize, backingStorageSize } = await page.send('Runtime.getHeapUsage');
  const wasm = await page.evaluate(() => globalThis.wasmBytes());
  return { wasm, javascript: usedSize + backingStorageSize };
}

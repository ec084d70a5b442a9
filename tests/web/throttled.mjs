// Prints how fast each page is ready on a slow phone, in milliseconds: with a quarter of the processor for the page's thread, 10
// Mbit/s, and 40 ms to the server. The first visit has an empty profile. The second one is another tab of the same browser. The pages
// are not watched by Playwright, and the network is a proxy, because Chromium's emulation of one does not slow the downloads of
// workers there. Run it on an idle machine.
//
// usage: throttled.mjs [ROUNDS]   ROUNDS: the medians of so many are printed; 3

import { chromium } from 'playwright-core';
import { openBare } from '../bench/hosts/bare.mjs';
import { slowNetwork } from '../bench/slow-network.mjs';
import { serve } from '../../web/tools/serve.mjs';
import { built } from './chromium.js';
import { kPages } from './throttled.js';

const kArgs = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const kSpeed = { latency: 40, bytesPerSecond: 10e6 / 8 };
const kLonger = 3000; // milliseconds that a page stays open, so that it keeps its files

/** Opens a page; returns the milliseconds from its navigation until it is ready. */
async function visit(browser, url, isReady) {
  const page = await openBare(browser, { isShared: true });
  await page.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(url);
  const now = `() => (${isReady})() ? performance.now() : null`;
  let ready = null;
  while (ready === null) {
    await new Promise((done) => setTimeout(done, 20));
    ready = await page.evaluate(now);
  }
  await new Promise((done) => setTimeout(done, kLonger));
  await page.close();
  return ready;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

const rounds = Number(process.argv[2] ?? 3);
const server = await serve(built.site, {});
const network = await slowNetwork(Number(new URL(server.url).port), kSpeed);
console.log('page | first visit, ms | second visit, ms');
for (const [path, isReady] of Object.entries(kPages)) {
  const times = { first: [], second: [] };
  for (let round = 0; round < rounds; ++round) {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: kArgs });
    const url = `http://localhost:${network.port}/${path}`;
    for (const which of Object.values(times)) which.push(await visit(browser, url, isReady));
    await browser.close();
  }
  console.log([path || '/', ...Object.values(times).map((all) => Math.round(median(all)))].join(' | '));
}
await network.close();
await server.close();

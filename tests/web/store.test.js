// The store in Chromium.

import { chromium } from 'playwright-core';
import { kVisit, serveStore, testStore, visit } from './store-pages.js';

let server, browser, context;

beforeAll(async () => {
  server = await serveStore();
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox'] });
  context = await browser.newContext();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const visiting = async () => {
  const page = await context.newPage();
  await page.goto(`${server.url}page.html`);
  return (use, value) => page.evaluate(use, value);
};

testStore(visiting, () => server);

test('two tabs that load a model at once download it once', async () => {
  const tabs = [await visiting(), await visiting()];
  const [one, other] = await Promise.all(tabs.map((run) => run(visit)));
  expect([one, other]).toEqual([
    { ...kVisit, before: 'downloadable' },
    { ...kVisit, before: 'downloadable' },
  ]);
  expect(server.asked.splice(0).filter((name) => name === 'model.safetensors')).toHaveLength(1);
}, 120_000);

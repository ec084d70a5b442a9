// 'qkv/attention', as built, in a page with the demo's Content-Security-Policy: every combination of the goldens, on both
// builds, in the page's own thread.

import { readFileSync } from 'node:fs';
import { built, openBrowser } from './chromium.js';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url));
const policy = /content="(default-src[^"]+)"/.exec(String(read('web/demo/parts/head.html')))[1];
const kPage = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><title>A page</title>`;
const kServed = {
  'page.html': { contentType: 'text/html', body: kPage },
  'goldens.js': { contentType: 'text/javascript', body: read('tests/lib/attention-goldens.js') },
  'attention.json': { contentType: 'application/json', body: read('tests/goldens/attention.json') },
  'attention.bin': { contentType: 'application/octet-stream', body: read('tests/goldens/attention.bin') },
};

let browser;

beforeAll(async () => {
  browser = await openBrowser(built.package);
});

afterAll(() => browser?.close());

test('every combination is the reference within its bound, in both builds', async () => {
  const page = await browser.open('page.html', {}, async (early) => {
    for (const [name, answer] of Object.entries(kServed))
      await early.route(`**/${name}`, (route) => route.fulfill(answer));
  });
  const results = await page.evaluate(async () => {
    const { attention, loadAttention } = await import('/attention.js');
    const { compareWithGoldens } = await import('/goldens.js');
    const goldens = await (await fetch('/attention.json')).json();
    const exact = new Float64Array(await (await fetch('/attention.bin')).arrayBuffer());
    const compared = [];
    for (const wasm of ['baseline', 'relaxed']) {
      const { build } = await loadAttention({ wasm });
      compared.push({ build, ...(await compareWithGoldens(attention, goldens, exact)) });
    }
    return compared;
  });
  const { combinations } = results[0];
  expect(combinations).toBeGreaterThan(1500);
  expect(results).toEqual(['baseline', 'relaxed'].map((build) => ({ build, combinations, failures: [] })));
  expect(page.complaints).toEqual([]);
}, 300_000);

// The package as built, in a page with the demo's Content-Security-Policy: both builds of the engine, abort, memory.

import { readFileSync } from 'node:fs';
import { compare, kMayDiffer, translations } from '../translations.js';
import { built, openBrowser } from './chromium.js';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const policy = /content="(default-src[^"]+)"/.exec(read('web/demo/parts/head.html'))[1];
const kPage = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><title>A page</title>`;
// A hundred rounds show more of the same: QKV_MEMORY_ROUNDS=100.
const kRounds = Number(process.env.QKV_MEMORY_ROUNDS ?? 10);

let browser;

beforeAll(async () => {
  browser = await openBrowser(built.package);
});

afterAll(() => browser?.close());

const open = () =>
  browser.open('page.html', {}, (page) =>
    page.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body: kPage })),
  );

test.each(['baseline', 'relaxed'])('the %s build translates as PyTorch does', async (wasm) => {
  const page = await open();
  const texts = await page.evaluate(
    async ([build, sources]) => {
      const { Translator } = await import('/index.js');
      const { default: model } = await import('/models/en-fr/index.js');
      const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model, wasm: build });
      return Promise.all(sources.map((source) => translator.translate(source, { split: false })));
    },
    [wasm, translations.map(({ source }) => source)],
  );
  const { differing, wrong } = compare('beam', texts);
  expect(wrong).toEqual([]);
  expect(differing.length).toBeLessThanOrEqual(kMayDiffer);
  expect(page.complaints).toEqual([]);
});

test('an abort is heard within a step, and the next call works', async () => {
  const page = await open();
  const { reason, took, after } = await page.evaluate(async () => {
    const { Translator } = await import('/index.js');
    const { default: model } = await import('/models/en-fr/index.js');
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model });
    const controller = new AbortController();
    const long = translator.translate('We went home and then we ate. '.repeat(50), { signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begin = performance.now();
    controller.abort();
    const failed = await long.catch((error) => error.name);
    // The engine is free as soon as it has got the abort, which the time of a short call measures.
    const next = await translator.translate('Hello.');
    return { reason: failed, took: performance.now() - begin, after: next };
  });
  expect(reason).toBe('AbortError');
  expect(after).not.toBe('');
  console.log(`from abort() to the next translation: ${took.toFixed(0)} ms`);
  expect(took).toBeLessThan(2000);
  expect(page.complaints).toEqual([]);
});

test(`the same 100 sentences ${kRounds} times: memory stops growing after the first`, async () => {
  const page = await open();
  const sizes = await page.evaluate(
    async ([rounds, sources]) => {
      const { Translator } = await import('/index.js');
      const { default: model } = await import('/models/en-fr/index.js');
      const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model });
      const after = [];
      for (let round = 0; round < rounds; ++round) {
        await translator.translate(sources.join('\n'));
        await translator.trace(sources[round % sources.length]);
        after.push(await translator.memoryBytes());
      }
      return after;
    },
    [kRounds, translations.map(({ source }) => source)],
  );
  console.log(
    `wasm memory: ${(sizes[0] / 2 ** 20).toFixed(1)} MiB after the first round, ${(sizes.at(-1) / 2 ** 20).toFixed(1)} after the last`,
  );
  expect(sizes).toHaveLength(kRounds);
  expect(new Set(sizes).size).toBe(1);
}, 600_000);

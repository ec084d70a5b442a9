// The store in Chromium.

import { chromium } from 'playwright-core';
import { launchOptions } from './chromium.js';
import { kVisit, serveStore, testStore, visit } from './store-pages.js';

let server, browser, context;

beforeAll(async () => {
  server = await serveStore();
  browser = await chromium.launch(launchOptions);
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

test('models of another origin, by CORS alone, are kept and go on after a break', async () => {
  const other = await serveStore();
  const options = { model: undefined, models: `${other.url}models/` };
  other.breakAfter = 3_000_000;
  const name = await (
    await visiting()
  )(async (base) => {
    const { Translator } = await import('/index.js');
    const pair = { sourceLanguage: 'en', targetLanguage: 'fr', models: base };
    const error = await Translator.create(pair).catch((reason) => reason);
    await new Promise((later) => setTimeout(later, 500));
    return error.name;
  }, options.models);
  expect(name).toBe('NetworkError');
  other.asked.splice(0);
  await (
    await visiting()
  )(removeOthers);
  expect(await (await visiting())(visit, options)).toMatchObject({ before: 'downloadable', text: "Je t'aime." });
  expect(other.asked.splice(0).at(-1)).toMatch(/^model\.safetensors bytes=\d+-$/);
  await other.close();
  expect(await (await visiting())(visit, options)).toMatchObject({ before: 'available', text: "Je t'aime." });
}, 120_000);

/** Runs in a page: removes what is stored of this origin's own models. */
async function removeOthers() {
  const { models } = await import(new URL('/index.js', location.href).href);
  for (const model of await models.list()) await models.remove(model);
}

test('a page without HTTPS translates, and keeps nothing', async () => {
  const { port } = new URL(server.url);
  const insecure = await chromium.launch({
    ...launchOptions,
    args: [...launchOptions.args, '--host-resolver-rules=MAP models.test 127.0.0.1'],
  });
  const page = await insecure.newPage();
  await page.goto(`http://models.test:${port}/page.html`);
  const found = await page.evaluate(async () => {
    const { Translator, models } = await import('/index.js');
    const pair = { sourceLanguage: 'en', targetLanguage: 'fr', model: '/models/en-fr/' };
    const translator = await Translator.create(pair);
    const error = await models.preload(pair).catch((reason) => reason);
    return [isSecureContext, await translator.translate('I love you.'), await models.list(), error.code];
  });
  expect(found).toEqual([false, "Je t'aime.", [], 'UNSUPPORTED']);
  await insecure.close();
}, 120_000);

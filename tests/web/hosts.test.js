// Where a page may live: under a very strict Content-Security-Policy, under another path, isolated or not.

import { kSure } from '../translations.js';
import { built, openBrowser, settled, translate } from './chromium.js';

// Everything that the library needs of a page; README.md gives it to users.
const kPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; " +
  "trusted-types qkv; require-trusted-types-for 'script'";
// The demo also draws pictures, and has a style sheet and an icon.
const kDemoPolicy = `${kPolicy}; img-src 'self' blob:`;

/** @param {string} folder @param {import('../../web/tools/serve.mjs').ServeOptions} options */
async function withBrowser(folder, options, use) {
  const browser = await openBrowser(folder, options);
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}

/** An empty page beside the package's files. @param {string} policy */
const openEmpty = (browser, policy) =>
  browser.open('page.html', {}, (page) =>
    page.route('**/page.html', (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'content-security-policy': policy },
        body: '<!doctype html><title>A page</title>',
      }),
    ),
  );

/** Runs in the page: translates and traces, with or without a worker; returns the error's message if it fails. */
async function useLibrary([text, worker, index]) {
  const { Translator } = await import(index);
  const { default: model } = await import(new URL('models/en-fr/index.js', index).href);
  const pageWorker = globalThis.Worker;
  try {
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model, worker });
    const translation = await translator.translate(text);
    const { cross } = await translator.trace(text);
    translator.destroy();
    const again = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model, worker });
    const isSame = (await again.translate(text)) === translation && globalThis.Worker === pageWorker;
    again.destroy();
    return { translation, weights: cross.data.length > 0, isSame };
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

const works = { translation: kSure.translation, weights: true, isSame: true };

describe('a strict Content-Security-Policy with Trusted Types', () => {
  test.each([true, false])('the library works, worker: %s', async (worker) => {
    await withBrowser(built.package, { headers: { 'content-security-policy': kPolicy } }, async (browser) => {
      const page = await openEmpty(browser, kPolicy);
      expect(await page.evaluate(useLibrary, [kSure.text, worker, `${browser.url}index.js`])).toEqual(works);
      expect(page.complaints).toEqual([]);
    });
  });

  test('the list of Trusted Types is needed, and a page without it is told what to do', async () => {
    await withBrowser(built.package, {}, async (browser) => {
      const page = await openEmpty(browser, kPolicy.replace('trusted-types qkv', "trusted-types 'none'"));
      const index = `${browser.url}index.js`;
      expect(await page.evaluate(useLibrary, [kSure.text, true, index])).toMatch(/TrustedScriptURL.*worker: false/);
      expect(page.complaints.join()).toContain('trusted-types');
      expect(await page.evaluate(useLibrary, [kSure.text, false, index])).toEqual(works);
    });
  });

  test('every view of the demo works', async () => {
    await withBrowser(built.site, { headers: { 'content-security-policy': kDemoPolicy } }, async (browser) => {
      const page = await browser.open();
      await settled(page);
      expect(await translate(page, kSure.text)).toBe(kSure.translation);
      await page.check('#view [value=lines]', { force: true });
      await page.hover('qkv-pieces[side=target] button >> nth=1');
      for (const kind of ['svg', 'png', 'json', 'bertviz']) {
        if (!(await page.$eval('#save', (menu) => menu.open))) await page.click('#save summary');
        const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#save [value=${kind}]`)]);
        expect(await download.failure()).toBeNull();
      }
      await page.click('#own-switch');
      await settled(page);
      expect(page.complaints).toEqual([]);
    });
  });
});

test('below another path', async () => {
  await withBrowser(built.site, { base: '/some/where/' }, async (browser) => {
    const page = await browser.open();
    await settled(page);
    expect(await translate(page, kSure.text)).toBe(kSure.translation);
    expect(page.complaints).toEqual([]);
  });
  await withBrowser(built.package, { base: '/some/where/' }, async (browser) => {
    const page = await openEmpty(browser, kPolicy);
    expect(await page.evaluate(useLibrary, [kSure.text, true, `${browser.url}index.js`])).toEqual(works);
    expect(page.complaints).toEqual([]);
  });
});

test.each([true, false])('cross-origin isolated: %s', async (isolated) => {
  await withBrowser(built.site, { isolated }, async (browser) => {
    const page = await browser.open();
    await settled(page);
    expect(await page.evaluate(() => globalThis.crossOriginIsolated)).toBe(isolated);
    expect(await translate(page, kSure.text)).toBe(kSure.translation);
    expect(page.complaints).toEqual([]);
  });
});

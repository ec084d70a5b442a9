// The built-in API that qkv gives to every browser. Each row is a requirement of the specifications, tested in the
// page. In Chromium, which has its own classes, they are replaced.

import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { built, openBrowser } from './chromium.js';
import { openFirefox } from './firefox.js';
import { native } from './translator-api/native.js';
import { rows } from './translator-api/rows.js';
import { hasWebKit, openWebKit } from './webkit.js';

const kRoot = dirname(built.package);
const kPage = 'tests/web/translator-api/page.html';
const kLongest = 300_000; // ms, for all rows of a page

const browsers = [
  ['Chromium', () => openBrowser(kRoot)],
  ['Firefox', () => openFirefox(kRoot)],
  ...(hasWebKit ? [['WebKit', () => openWebKit(kRoot)]] : []),
];

/** Runs rows in a page; resolves with the fault of each. */
async function faultsOf(page, which, when) {
  const start = async ([list, how]) => {
    const { defineNative, native } = await import('/tests/web/translator-api/native.js');
    if (how === 'unavailable') defineNative();
    const { install, configure } = await import('/dist/translator-api/install.js');
    install({ when: how });
    globalThis.qkvConfigure = configure;
    const { runRows, rows: all } = await import('/tests/web/translator-api/rows.js');
    runRows(list === 'native' ? native : all).then((results) => (globalThis.rowResults = results));
  };
  await page.evaluate(start, [which, when]);
  for (const end = Date.now() + kLongest; Date.now() < end; await sleep(500)) {
    const results = await page.evaluate(() => globalThis.rowResults ?? null);
    if (results) return new Map(results);
  }
  throw new Error('the rows do not end');
}

describe.each(browsers)('%s', (name, openIt) => {
  let browser;
  let faults;
  let nativeFaults;

  beforeAll(async () => {
    browser = await openIt();
    faults = await faultsOf(await browser.open(kPage), 'all', 'always');
    nativeFaults = await faultsOf(await browser.open(kPage), 'native', 'unavailable');
  }, 2 * kLongest);
  afterAll(() => browser?.close());

  test('a download begins with a click, by the word of the browser itself', async () => {
    // Code that Playwright evaluates counts as a user's action, so the first result in Chromium is read from its
    // console.
    let tell;
    const told = new Promise((resolve) => (tell = resolve));
    const page = await browser.open(`${kPage}?activation`, {}, async (opened) => opened.on('console', tell));
    if (name === 'Chromium') await told;
    const outcomes = async (count) => {
      for (let i = 0; i < 300; i++, await sleep(100)) {
        const found = await page.evaluate(() => globalThis.outcomes);
        if (found.length >= count) return found;
      }
      throw new Error('create() does not end');
    };
    const knows = await page.evaluate(() => 'userActivation' in navigator);
    const first = knows ? 'NotAllowedError' : 'created';
    expect(await outcomes(1)).toEqual([first]);
    await page.click('button');
    expect(await outcomes(2)).toEqual([first, 'created']);
  });

  test.each(rows.map(([requirement]) => [requirement]))('%s', (requirement) =>
    expect(faults.get(requirement)).toBe(''),
  );

  test.each(native.map(([requirement]) => [requirement]))("asking the browser's own first: %s", (requirement) =>
    expect(nativeFaults.get(requirement)).toBe(''),
  );
});

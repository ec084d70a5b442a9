// The setup for tests of the pages with models of English.

import { fileURLToPath } from 'node:url';
import { load } from '../../web/lib/models/index.js';
import { openBrowser } from './chromium.js';

/** The folder of one of the pages' own models. @param {string} name */
export const english = (name) => fileURLToPath(new URL(`../../web/models/english/${name}`, import.meta.url));

/**
 * For all tests of a file: a browser with the pages, and models in Node to compare them with.
 * @param {string[]} [names]
 */
export function withEnglish(names = []) {
  const shared = { models: {} };
  beforeAll(async () => {
    shared.browser = await openBrowser();
    for (const name of names) shared.models[name] = await load(english(name), { wasm: 'baseline' });
  });
  afterAll(async () => {
    for (const model of Object.values(shared.models)) model.destroy();
    await shared.browser?.close();
  });
  return shared;
}

/** Waits until the visible result belongs to the text. @param {import('playwright-core').Page} page @param {string} field */
export const idle = (page, field) =>
  page.waitForFunction((selector) => {
    const isIdle = document.querySelector(selector).getAttribute('aria-busy') === 'false';
    return isIdle && !document.querySelector('.writing .write[disabled]:not([hidden] *)');
  }, field);

/** A probability in percent, as the pages write it. @param {number} probability */
export function share(probability) {
  if (probability > 0 && probability < 5e-5) return '<0.01 %';
  return `${(100 * probability).toFixed(probability < 0.0995 ? 2 : 1)} %`;
}

/** The visible bars: names and numbers. @param {import('playwright-core').Page} page @param {string} [root] */
export const barsOf = (page, root = '.answers') =>
  page.$$eval(`${root} .bars li`, (items) =>
    items.map((item) => [item.querySelector('.name').textContent, item.querySelector('.number').textContent]),
  );

/** Records how the layout shifts, from the first frame on. @param {import('playwright-core').Page} page before it loads */
export const recordShifts = (page) =>
  page.addInitScript(() => {
    globalThis.shifts = [];
    const add = (list) => globalThis.shifts.push(...list.getEntries().map(({ value }) => value));
    new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
  });

/**
 * Takes steps on a page, and expects that it never scrolls sideways and that its layout hardly shifts.
 * @param {import('playwright-core').Page} page that records shifts
 * @param {number} width of the window
 * @param {(page: import('playwright-core').Page) => Promise<unknown>} settled
 * @param {(() => Promise<unknown>)[]} steps
 */
export async function expectSteady(page, width, settled, steps) {
  for (const step of steps) {
    await step();
    await settled(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  const total = await page.evaluate(() => globalThis.shifts.reduce((sum, value) => sum + value, 0));
  expect(total).toBeLessThan(0.01);
}

// Translators that are created and destroyed in a page of Chromium, each engine in its own worker, and the memory that
// remains.

import { setTimeout as later } from 'node:timers/promises';
import { built, openBrowser } from '../web/chromium.js';
import { residentBytes } from './memory.mjs';
import { sentences } from './sentences.mjs';

const [{ source, beam }] = sentences;

/** Runs in the page: creates and destroys translators; returns how many gave a wrong result. */
async function makeMany([count, text, expected]) {
  const { Translator } = await import('/index.js');
  const { default: model } = await import('/models/en-fr/index.js');
  let wrong = 0;
  for (let i = 0; i < count; ++i) {
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model });
    if ((await translator.translate(text, { split: false, copy: false })) !== expected) ++wrong;
    translator.destroy();
  }
  return wrong;
}

/** Memory of all pages and workers of the browser after garbage collection. */
async function renderersBytes(page, session) {
  for (let round = 0; round < 3; ++round) {
    await page.requestGC();
    await later(300);
  }
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return renderers.reduce((sum, { id }) => sum + residentBytes(id), 0);
}

/**
 * @param {number} count
 * @returns {Promise<{first: number, last: number, wrong: number, workers: number, complaints: string[]}>} memories in bytes,
 *   first after a quarter of them
 */
export async function translatorsInPage(count) {
  const browser = await openBrowser(built.package);
  try {
    const page = await browser.open('page.html', {}, (early) =>
      early.route('**/page.html', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<title>A page</title>' }),
      ),
    );
    const session = await page.context().browser().newBrowserCDPSession();
    const warm = Math.ceil(count / 4);
    let wrong = await page.evaluate(makeMany, [warm, source, beam.text]);
    const first = await renderersBytes(page, session);
    wrong += await page.evaluate(makeMany, [count - warm, source, beam.text]);
    const last = await renderersBytes(page, session);
    return { first, last, wrong, workers: page.workers().length, complaints: page.complaints };
  } finally {
    await browser.close();
  }
}

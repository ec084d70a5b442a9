// The setup for tests of the page Translate.

import { Translator } from '../../web/lib/index.js';
import { openBrowser } from './chromium.js';

export const kSentence = 'The old man opened the little window.';

/**
 * For all tests of a file: a browser with the pages, and the library in Node to compare them with.
 * @returns {{browser: Awaited<ReturnType<typeof openBrowser>>, translator: Translator}}
 */
export function withPages() {
  const shared = {};
  beforeAll(async () => {
    shared.browser = await openBrowser();
    shared.translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
  });
  afterAll(async () => {
    shared.translator?.destroy();
    await shared.browser?.close();
  });
  return shared;
}

/** The texts of the target pieces on the page. @param {import('playwright-core').Page} page @returns {Promise<string[]>} */
export const targetPieces = (page) =>
  page.$$eval('qkv-pieces[side=target] .text', (chips) => chips.map((chip) => chip.textContent));

/** Pieces as the page shows them. @param {string[]} pieces */
export const shown = (pieces) => pieces.map((piece) => piece.replaceAll('▁', ' ').trim() || '␣');

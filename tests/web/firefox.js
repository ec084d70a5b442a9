// Opens Firefox with the built pages. It is controlled over WebDriver BiDi.

import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { serve } from '../../web/tools/serve.mjs';
import { built } from './chromium.js';

/** The path of Firefox. Debian's name for it comes first. */
async function findFirefox() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const names = [process.env.FIREFOX, 'firefox-esr', 'firefox'].filter(Boolean);
  const paths = names.flatMap((name) => (name.includes('/') ? [name] : folders.map((folder) => join(folder, name))));
  for (const path of paths) {
    const isProgram = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return path;
  }
  throw new Error('there is no Firefox: install firefox-esr');
}

/**
 * @typedef {import('puppeteer-core').Page & {complaints: string[]}} WatchedPage `complaints`: errors and warnings on the
 *   console, and uncaught errors
 */

/** @param {string} [folder] by default the pages; for another folder the models are served too, as models/en-fr/ */
export async function openFirefox(folder = built.site) {
  const server = await serve(folder, { also: folder === built.site ? {} : { 'models/': built.models } });
  const browser = await puppeteer.launch({
    browser: 'firefox',
    protocol: 'webDriverBiDi',
    executablePath: await findFirefox(),
    headless: true,
  });

  /** @param {string} [path] with its query @returns {Promise<WatchedPage>} */
  async function open(path = '') {
    const page = await browser.newPage();
    const complaints = [];
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(server.url + path);
    return Object.assign(page, { complaints });
  }

  async function close() {
    await browser.close();
    await server.close();
  }

  return { open, close, url: server.url };
}

// An extension's background script, in its own Chromium, since extensions need a profile.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/**
 * The answer of the function `translate` of the background script.
 * @param {string} folder of the extension
 * @returns {Promise<string>}
 */
export async function askExtension(folder) {
  const profile = mkdtempSync(join(tmpdir(), 'qkv-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    headless: false, // the flag below selects the headless mode that runs extensions
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
      '--disable-features=DisableLoadExtensionCommandLineSwitch',
    ],
  });
  try {
    const [worker = await context.waitForEvent('serviceworker', { timeout: 30_000 })] = context.serviceWorkers();
    return await worker.evaluate((text) => globalThis.translate(text).catch(String), 'I love you.');
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

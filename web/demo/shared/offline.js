// The pages without a network: a service worker keeps their files, and the package keeps the models.

import { models } from '../../lib/index.js';
import { trustedScript } from '../../lib/worker/start-worker.js';

/** How long storing a loaded model may take, and how often the page checks, ms. */
const kLongest = 30_000;
const kPause = 500;

/** @type {Promise<unknown> | undefined} */
let keeping;

/** The pages' own files: resolves once all are kept, rejects where the browser keeps none. */
async function keepPages() {
  await navigator.serviceWorker.register(trustedScript('sw.js'));
  await navigator.serviceWorker.ready;
}

/**
 * Whether this page will open without a network, and translate with this model.
 * @param {string} name the model's
 * @param {string} targetLanguage
 * @returns {Promise<boolean>} once it does; false where the model is not kept, or the browser keeps no pages
 */
export async function worksOffline(name, targetLanguage) {
  try {
    await (keeping ??= keepPages());
    for (let waited = 0; waited < kLongest; waited += kPause) {
      const kept = await models.list();
      if (kept.some((model) => model.name === name && model.targetLanguage === targetLanguage)) return true;
      await new Promise((later) => setTimeout(later, kPause));
    }
  } catch {
    // No service worker: a page without HTTPS, or one that does not allow it.
  }
  return false;
}

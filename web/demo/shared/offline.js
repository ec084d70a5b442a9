// Lets the pages open without a network: a service worker keeps their files, and the package keeps the models.

import { models } from '../../lib/index.js';
import { trustedScript } from '../../lib/worker/start-worker.js';

/** The page waits at most so long until a loaded model is stored, and checks so often; ms. */
const kLongest = 30_000;
const kPause = 500;

/** @type {Promise<unknown> | undefined} */
let keeping;

/** Keeps the files of the pages. Resolves once all are kept; rejects if the browser keeps none. */
async function keepPages() {
  await navigator.serviceWorker.register(trustedScript('sw.js'));
  await navigator.serviceWorker.ready;
}

/**
 * Whether this page works without a network, with this model.
 * @param {string} name of the model
 * @param {string} targetLanguage
 * @returns {Promise<boolean>} true as soon as all is kept; false: the browser does not keep the model, or no pages
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

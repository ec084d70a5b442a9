// Starts workers: also where the page demands Trusted Types, and where their script is on another origin.

/** @type {{createScriptURL: (url: string) => any} | null | undefined} null: the page refuses it */
let policy;

/** The page's policy named `qkv`, made once: pages refuse a second one of a name. */
function scriptPolicy() {
  const { trustedTypes } = /** @type {any} */ (globalThis);
  if (policy !== undefined) return policy;
  try {
    policy = trustedTypes?.createPolicy('qkv', { createScriptURL: (/** @type {string} */ url) => url }) ?? null;
  } catch {
    policy = null; // not in the Content-Security-Policy's list, or taken
  }
  return policy;
}

/**
 * A script's URL, as the page's Trusted Types accept it.
 * @param {string} url
 * @returns {any}
 */
export const trustedScript = (url) => scriptPolicy()?.createScriptURL(url) ?? url;

/**
 * Starts a classic script as a worker. Workers are started from the page's own origin alone, so a script of another
 * origin is started by one of this origin, which imports it.
 * @param {string} url absolute
 * @param {WorkerOptions} [options]
 * @returns {Worker} throws what `new Worker` throws
 */
export function startWorker(url, options) {
  if (new URL(url).origin === globalThis.origin) return new Worker(trustedScript(url), options);
  const blob = URL.createObjectURL(new Blob([importing(url)], { type: 'text/javascript' }));
  const worker = new Worker(trustedScript(blob), options);
  setTimeout(() => URL.revokeObjectURL(blob), 60_000); // not before the worker has read it
  return worker;
}

/** @param {string} url */
const importing = (url) => `const url = ${JSON.stringify(url)};
let trusted = url;
try { trusted = trustedTypes.createPolicy('qkv', { createScriptURL: () => url }).createScriptURL(''); } catch {}
importScripts(trusted);`;

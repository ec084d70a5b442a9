// Starts workers. This works also if the page requires Trusted Types, or if the script is on another origin.

/** @type {{createScriptURL: (url: string) => any, createHTML: (html: string) => any} | null | undefined} null: the page refuses it */
let policy;

/** @param {string} text */
const same = (text) => text;

/** The page's policy named `qkv`. It is created once, because a page refuses a second policy of the same name. */
function scriptPolicy() {
  const { trustedTypes } = /** @type {any} */ (globalThis);
  if (policy !== undefined) return policy;
  try {
    policy = trustedTypes?.createPolicy('qkv', { createScriptURL: same, createHTML: same }) ?? null;
  } catch {
    policy = null; // the Content-Security-Policy does not list it, or it exists already
  }
  return policy;
}

/**
 * A script's URL in the form that the page's Trusted Types accept.
 * @param {string} url
 * @returns {any}
 */
export const trustedScript = (url) => scriptPolicy()?.createScriptURL(url) ?? url;

/**
 * HTML in the form that the page's Trusted Types accept. It is only parsed outside of the page, where no script runs.
 * @param {string} html
 * @returns {any}
 */
export const trustedHtml = (html) => scriptPolicy()?.createHTML(html) ?? html;

/**
 * Starts a classic script as a worker. Workers can only be started from the page's own origin, so a script of another
 * origin is imported by a small script of this origin.
 * @param {string} url absolute
 * @param {WorkerOptions} [options]
 * @returns {Worker} throws what `new Worker` throws
 */
export function startWorker(url, options) {
  if (new URL(url).origin === globalThis.origin) return new Worker(trustedScript(url), options);
  const blob = URL.createObjectURL(new Blob([importing(url)], { type: 'text/javascript' }));
  const worker = new Worker(trustedScript(blob), options);
  setTimeout(() => URL.revokeObjectURL(blob), 60_000); // only after the worker has read it
  return worker;
}

/** @param {string} url */
const importing = (url) => `const url = ${JSON.stringify(url)};
let trusted = url;
try { trusted = trustedTypes.createPolicy('qkv', { createScriptURL: () => url }).createScriptURL(''); } catch {}
importScripts(trusted);`;

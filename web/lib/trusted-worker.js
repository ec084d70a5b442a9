// A worker where the page demands Trusted Types.

/** @type {{createScriptURL: (url: string) => any} | null | undefined} null: the page refuses it */
let policy;

/** The page's policy named `qkv`, made once: pages refuse a second one of a name. */
function workerPolicy() {
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
 * Runs `start`, which is to start a worker, so that the URL it gives counts as trusted.
 *
 * Bundlers follow a `new Worker` whose argument is a literal `new URL` and nothing like it; a page with Trusted
 * Types takes no plain URL there. So `start` keeps the literal, and the global `Worker` is, for that one synchronous
 * call, a constructor that hands the URL on as trusted.
 * @param {() => Worker} start
 * @returns {Worker}
 */
export function withTrustedWorker(start) {
  const trusted = workerPolicy();
  if (!trusted) return start();
  const PageWorker = globalThis.Worker;
  class TrustingWorker extends PageWorker {
    /** @param {string | URL} url @param {WorkerOptions} [options] */
    constructor(url, options) {
      super(/** @type {any} */ (trusted)?.createScriptURL(String(url)), options);
    }
  }
  Reflect.set(globalThis, 'Worker', TrustingWorker); // where the page forbids that, the plain URL is tried
  try {
    return start();
  } finally {
    Reflect.set(globalThis, 'Worker', PageWorker);
  }
}

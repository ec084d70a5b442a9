// The runtime of the library: a browser, a worker or Node. No other module tests which one it is.
import { QkvError } from './errors.js';

/** @typedef {typeof import('node:fs/promises')} FileSystem */
/** @typedef {typeof import('node:url')} UrlTools */
/** @typedef {typeof import('node:worker_threads')} WorkerThreads */

/**
 * A module of Node, or undefined outside Node. It does not use `import`, so bundlers do not look for the module.
 * @param {string} name
 * @returns {any}
 */
function builtin(name) {
  return /** @type {any} */ (globalThis).process?.getBuiltinModule?.(name);
}

/** @returns {FileSystem | undefined} */
export const fileSystem = () => builtin('node:fs/promises');
/** @returns {UrlTools | undefined} */
export const urlTools = () => builtin('node:url');
/** @returns {typeof import('node:module') | undefined} */
export const modules = () => builtin('node:module');
/** @returns {WorkerThreads | undefined} */
export const workerThreads = () => builtin('node:worker_threads');

/**
 * A URL, resolved against the page; in Node a string may also be a path.
 * @param {string | URL} url
 * @returns {string} throws a QkvError, code INVALID_ARGUMENT, if it is not a URL
 */
export function absoluteUrl(url) {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  const isPath = !base && typeof url === 'string' && !/^[a-z][a-z\d+.-]+:/i.test(url);
  if (isPath) return /** @type {any} */ (urlTools()).pathToFileURL(url).href;
  try {
    return new URL(url, base).href;
  } catch (cause) {
    throw new QkvError('INVALID_ARGUMENT', `${String(url)} is not a URL`, '', { cause });
  }
}

/** Whether the engine runs in a worker by default: in pages and in workers, not in Node. */
export const hasWebWorker = () => typeof Worker === 'function' && !builtin('node:worker_threads');

/**
 * Lets the event loop handle messages, events and timers. A timer would cost 4 ms in pages. After `await` of a promise
 * alone, no message would be handled.
 * @returns {Promise<void>}
 */
export function nextTask() {
  const { setImmediate } = globalThis;
  if (setImmediate) return new Promise((resolve) => void setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

// Milliseconds: long enough that yields cost little, and short enough for a frame and for an abort.
const kSlice = 8;

/**
 * A function to await between pieces of work. It yields to the event loop when 8 ms have passed, otherwise it continues
 * immediately.
 * @returns {() => Promise<void>}
 */
export function pacer() {
  let start = performance.now();
  return async () => {
    if (performance.now() - start < kSlice) return;
    await nextTask();
    start = performance.now();
  };
}

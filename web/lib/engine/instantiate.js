// Chooses the engine's WebAssembly build and its place, and starts it.
import { choose } from './choose.js';
import { compile, start } from './compile.js';
import { hasRelaxedSimd } from './relaxed.js';
import { areHeld, uniqueName } from '../worker/liveness.js';
import { startWorker, trustedScript } from '../worker/start-worker.js';

/** @typedef {import('./glue.js').WasmModule} WasmModule */

/**
 * The engine to run: one of the package's builds by URL, or one that the caller gives. `pick`: the best build that the
 * runtime can run; if threads are requested and possible, the build with threads. `isShared`: the caller also wants the
 * compiled module, for other engines.
 * @typedef {string | ArrayBuffer | WebAssembly.Module} WasmSource
 * @typedef {{count: number, wasm: WasmSource, glue: string}} Threads
 * @typedef {({pick: {baseline: string, relaxed: string}, threads?: Threads} | {build: string, from: WasmSource}) & {isShared?: boolean}} WasmSettings
 */

/**
 * @typedef {object} Instance
 * @property {WasmModule} module
 * @property {string} build 'baseline', 'relaxed', 'threads' or 'custom'
 * @property {number} threads that compute, including this one
 * @property {WebAssembly.Module} compiled
 * @property {string[]} [locks] the names of the locks that its threads hold until they end
 */

/**
 * Compiles and starts the engine.
 * @param {typeof import('./glue.js').default} create the glue of this kind of engine, for one thread
 * @param {WasmSettings} settings
 * @param {AbortSignal} [signal]
 * @returns {Promise<Instance>} rejects with a QkvError: NETWORK, MISSING_FILE, UNSUPPORTED, INVALID_FILE
 */
export async function instantiate(create, settings, signal) {
  if ('pick' in settings && settings.threads && canThread()) {
    const threaded = await instantiateThreads(settings.threads, signal);
    if (threaded) return threaded;
  }
  const { build, from } = choose(settings);
  const compiled = await compile(from, signal);
  return { build, threads: 1, module: await start(create, compiled), compiled };
}

/**
 * Whether threads are possible. They need shared memory, which only cross-origin isolated pages have. They wait for each
 * other, which is not allowed in a page's own thread.
 */
const canThread = () =>
  globalThis.crossOriginIsolated === true && typeof globalThis.document === 'undefined' && hasRelaxedSimd();

/** The most milliseconds for starting the threads. */
const kLongestStart = 10_000;
/** Milliseconds between two checks whether the threads have their locks. */
const kPause = 10;

/**
 * @param {Threads} settings
 * @param {AbortSignal} [signal]
 * @returns {Promise<Instance | null>} null if the threads do not start, for any reason
 */
async function instantiateThreads(settings, signal) {
  const threads = threadsOf(settings);
  try {
    /** @type {any} */ (globalThis).importScripts(trustedScript(settings.glue)); // throws if it is missing, and in a module worker
    const compiled = await compile(settings.wasm, signal);
    const started = start(/** @type {any} */ (globalThis).qkvWithThreads, compiled, threads.options);
    const module = await Promise.race([started, threads.failed]);
    await Promise.race([threads.areLocked(), threads.failed]);
    module.useThreads(settings.count);
    threads.areStarted();
    return { build: 'threads', threads: settings.count, module, compiled, locks: threads.names };
  } catch {
    threads.terminate();
    signal?.throwIfAborted();
    return null;
  }
}

/**
 * Starts the threads. `failed` rejects if one does not start in time. The time limit is needed because nothing is
 * reported when the server or the page's policy refuses a worker.
 * @param {Threads} settings
 */
function threadsOf({ count, glue }) {
  /** @type {Worker[]} */
  const workers = [];
  /** The names of the workers and of the locks that they hold. @type {string[]} */
  const names = [];
  // Fail after a time limit.
  let isStarting = true;
  /** @type {(reason: unknown) => void} */
  let fail = () => {};
  /** @type {Promise<never>} */
  const failed = new Promise((_, reject) => (fail = reject));
  failed.catch(() => {});
  const timer = setTimeout(fail, kLongestStart);
  // Each thread holds a lock of its own name as long as it lives.
  const startThread = (/** @type {string} */ kind) => {
    const name = `${kind} ${uniqueName()}`;
    names.push(name);
    const worker = startWorker(glue, { name });
    worker.addEventListener('error', (event) => {
      if (!isStarting) return;
      event.preventDefault(); // the page sees no error: one thread computes instead
      event.stopImmediatePropagation();
      fail(event);
    });
    workers.push(worker);
    return worker;
  };
  const areLocked = async () => {
    while (isStarting && !(await areHeld(names))) await new Promise((resolve) => setTimeout(resolve, kPause));
  };
  const areStarted = () => {
    isStarting = false;
    clearTimeout(timer);
  };
  const terminate = () => {
    areStarted();
    for (const worker of workers) worker.terminate();
  };
  return { options: { workers: count - 1, startThread }, names, failed, areLocked, areStarted, terminate };
}

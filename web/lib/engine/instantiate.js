// The engine's WebAssembly: which build, and from where.
import { choose } from './choose.js';
import { compile, start } from './compile.js';
import createModule from './glue.js';
import { hasRelaxedSimd } from './relaxed.js';
import { areHeld, uniqueName } from '../worker/liveness.js';
import { startWorker, trustedScript } from '../worker/start-worker.js';

/** @typedef {import('./glue.js').WasmModule} WasmModule */

/**
 * Which engine to run: one of the package's builds by URL (`pick` chooses by what the runtime can do, and the one with
 * threads is taken where they are asked for and can be had), or one given.
 * `isShared`: whoever starts it wants the compiled module too, for engines beside this one.
 * @typedef {string | ArrayBuffer | WebAssembly.Module} WasmSource
 * @typedef {{count: number, wasm: WasmSource, glue: string}} Threads
 * @typedef {({pick: {baseline: string, relaxed: string}, threads?: Threads} | {build: string, from: WasmSource}) & {isShared?: boolean}} WasmSettings
 */

/**
 * @typedef {object} Instance
 * @property {WasmModule} module
 * @property {string} build 'baseline', 'relaxed', 'threads' or 'custom'
 * @property {number} threads that compute, this one among them
 * @property {WebAssembly.Module} compiled
 * @property {string[]} [locks] the names of those that its threads hold as long as they live
 */

/**
 * Compiles and starts the engine.
 * @param {WasmSettings} settings
 * @param {AbortSignal} [signal]
 * @returns {Promise<Instance>} rejects with a QkvError: NETWORK, MISSING_FILE, UNSUPPORTED, INVALID_FILE
 */
export async function instantiate(settings, signal) {
  if ('pick' in settings && settings.threads && canThread()) {
    const threaded = await instantiateThreads(settings.threads, signal);
    if (threaded) return threaded;
  }
  const { build, from } = choose(settings);
  const compiled = await compile(from, signal);
  return { build, threads: 1, module: await start(createModule, compiled), compiled };
}

/** Threads share memory, which only isolated pages may, and they wait for each other, which a page itself may not. */
const canThread = () =>
  globalThis.crossOriginIsolated === true && typeof globalThis.document === 'undefined' && hasRelaxedSimd();

/** Milliseconds that threads may take to come. */
const kLongestStart = 10_000;
/** Milliseconds between two looks at whether they have their locks. */
const kLook = 10;

/**
 * @param {Threads} settings
 * @param {AbortSignal} [signal]
 * @returns {Promise<Instance | null>} null where the threads do not come, whatever the reason
 */
async function instantiateThreads(settings, signal) {
  const threads = threadsOf(settings);
  try {
    /** @type {any} */ (globalThis).importScripts(trustedScript(settings.glue)); // throws where it is missing, and in a module worker
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
 * What starts the threads. `failed` rejects when one does not start in time. Some failures are silent: a worker that its
 * server or the page's policy refuses says nothing to whoever waits for it.
 * @param {Threads} settings
 */
function threadsOf({ count, glue }) {
  /** @type {Worker[]} */
  const workers = [];
  /** The names of the workers and of the locks that they hold. @type {string[]} */
  const names = [];
  let isStarting = true;
  /** @type {(reason: unknown) => void} */
  let fail = () => {};
  /** @type {Promise<never>} */
  const failed = new Promise((_, reject) => (fail = reject));
  failed.catch(() => {});
  const timer = setTimeout(() => fail(new Error('the threads did not start in time')), kLongestStart);
  const startThread = (/** @type {string} */ kind) => {
    const name = `${kind} ${uniqueName()}`;
    names.push(name);
    const worker = startWorker(glue, { name });
    worker.addEventListener('error', (event) => {
      if (!isStarting) return;
      event.preventDefault(); // it is no error of the page's: one thread computes instead
      event.stopImmediatePropagation();
      fail(event);
    });
    workers.push(worker);
    return worker;
  };
  const areLocked = async () => {
    while (isStarting && !(await areHeld(names))) await new Promise((resolve) => setTimeout(resolve, kLook));
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

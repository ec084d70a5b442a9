// The engine's WebAssembly: which build, and from where.
import { choose } from './choose.js';
import { compile, start } from './compile.js';
import createModule from './glue.js';
import { hasRelaxedSimd } from './relaxed.js';

/** @typedef {import('./glue.js').WasmModule} WasmModule */

/**
 * Which engine to run: one of the package's builds by URL (`pick` chooses by what the runtime can do, and the one with
 * threads is taken where they are asked for and can be had), or one given.
 * @typedef {{count: number, wasm: string, glue: string}} Threads
 * @typedef {{pick: {baseline: string, relaxed: string}, threads?: Threads} | {build: string, from: string | ArrayBuffer | WebAssembly.Module}} WasmSettings
 */

/**
 * @typedef {object} Instance
 * @property {WasmModule} module
 * @property {string} build 'baseline', 'relaxed', 'threads' or 'custom'
 * @property {number} threads that compute, this one among them
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
  const compiled = await compile(from, build, signal);
  return { build, threads: 1, module: await start(createModule, compiled) };
}

/** Threads share memory, which only isolated pages may, and they wait for each other, which a page itself may not. */
const canThread = () =>
  globalThis.crossOriginIsolated === true && typeof globalThis.document === 'undefined' && hasRelaxedSimd();

/** Milliseconds that threads may take to come. */
const kLongestStart = 10_000;

/**
 * @param {Threads} threads
 * @param {AbortSignal} [signal]
 * @returns {Promise<Instance | null>} null where the threads do not come: a worker that its server or the page's policy
 *   refuses says nothing to whoever waits for it
 */
async function instantiateThreads({ count, wasm, glue }, signal) {
  const [{ default: create }, compiled] = await Promise.all([
    /** @type {Promise<typeof import('./glue.js')>} */ (import(/* @vite-ignore */ /* webpackIgnore: true */ glue)),
    compile(wasm, 'threads', signal),
  ]);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(() => resolve(null), kLongestStart)));
  const module = /** @type {WasmModule | null} */ (await Promise.race([start(create, compiled, count - 1), late]));
  clearTimeout(timer);
  if (!module) return null;
  module.useThreads(count);
  return { build: 'threads', threads: count, module };
}

// The engine that translates, for a host.
import { wasmUrls } from './assets.js';
import { threadsUrls, workerUrl } from './worker-assets.js';

/**
 * A kind of engine.
 * @typedef {object} EngineKind
 * @property {(base?: string) => {baseline: string, relaxed: string}} wasmUrls its builds
 * @property {(base?: string) => {wasm: string, glue: string}} threadsUrls its build with threads, and the script that runs
 *   it in the worker and in each thread
 * @property {(base?: string) => string} workerUrl the script of its worker
 * @property {() => Promise<Record<string, import('../worker/protocol.js').Handler>>} handlers the handlers of calls
 *   without a worker. Their code is loaded at the first call, so a page with a worker never loads it
 * @property {(list: object[]) => string} [changesText] writes a list of interventions for an engine that takes them
 */

/** @type {EngineKind} */
export const translationKind = {
  wasmUrls,
  threadsUrls,
  workerUrl,
  handlers: () => import('./handlers.js').then(({ createHandlers }) => createHandlers()),
};

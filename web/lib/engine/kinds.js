// The engine that translates, as a host runs it.
import { wasmUrls } from './assets.js';
import { workerUrl } from './worker-assets.js';

/**
 * A kind of engine.
 * @typedef {object} EngineKind
 * @property {(base?: string) => {baseline: string, relaxed: string}} wasmUrls its builds
 * @property {(base?: string) => string} workerUrl the script of its worker
 * @property {() => Promise<Record<string, import('../worker/protocol.js').Handler>>} handlers what answers calls without a worker.
 *   Its code is loaded when it is first asked for: a page with a worker never needs it
 */

/** @type {EngineKind} */
export const translationKind = {
  wasmUrls,
  workerUrl,
  handlers: () => import('./handlers.js').then(({ createHandlers }) => createHandlers()),
};

// The engine for models that people bring, as a host runs it.
import { modelsWasmUrls, modelsWorkerUrl } from './assets.js';

/** @type {import('../kinds.js').EngineKind} */
export const modelsKind = {
  wasmUrls: modelsWasmUrls,
  workerUrl: modelsWorkerUrl,
  handlers: () => import('./models-engine.js').then(({ createHandlers }) => createHandlers()),
};

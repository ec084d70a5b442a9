// The engine of qkv/models, for a host.
import { modelsThreadsUrls, modelsWasmUrls, modelsWorkerUrl } from './assets.js';
import { changesText } from './changes.js';

/** @type {import('../kinds.js').EngineKind} */
export const modelsKind = {
  wasmUrls: modelsWasmUrls,
  threadsUrls: modelsThreadsUrls,
  workerUrl: modelsWorkerUrl,
  changesText,
  handlers: () => import('./models-engine.js').then(({ createHandlers }) => createHandlers()),
};

// The worker's entry: the engine of qkv/models, which answers messages.
import { serve } from '../../worker/protocol.js';
import { workerThreads } from '../../base/runtime.js';
import { createHandlers } from './models-engine.js';

const port = /** @type {import('../../worker/protocol.js').Port} */ (workerThreads()?.parentPort ?? globalThis);
serve(port, createHandlers());

// The worker's entry: an engine for models that people bring, which answers messages.
import { serve } from '../../worker/protocol.js';
import { workerThreads } from '../../base/runtime.js';
import { createHandlers } from './models-engine.js';

const port = /** @type {import('../../worker/protocol.js').Port} */ (workerThreads()?.parentPort ?? globalThis);
serve(port, createHandlers());

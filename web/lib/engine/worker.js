// The worker's entry: an engine that answers messages.
import { serve } from '../worker/protocol.js';
import { createHandlers } from './handlers.js';
import { workerThreads } from '../base/runtime.js';

const port = /** @type {import('../worker/protocol.js').Port} */ (workerThreads()?.parentPort ?? globalThis);
serve(port, createHandlers());

// The worker's entry: an engine that answers messages.
import { serve } from './channel.js';
import { createHandlers } from './handlers.js';
import { workerThreads } from './runtime.js';

const port = /** @type {import('./channel.js').Port} */ (workerThreads()?.parentPort ?? globalThis);
serve(port, createHandlers());

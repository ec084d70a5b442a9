// The worker's entry: an engine that trains, and answers messages.
import { serve } from '../worker/protocol.js';
import { workerThreads } from '../base/runtime.js';
import { createHandlers } from './train-engine.js';

const port = /** @type {import('../worker/protocol.js').Port} */ (workerThreads()?.parentPort ?? globalThis);
serve(port, createHandlers());

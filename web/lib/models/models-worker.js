// The worker's entry: an engine for models that people bring, which answers messages.
import { serve } from '../channel.js';
import { workerThreads } from '../runtime.js';
import { createHandlers } from './models-engine.js';

const port = /** @type {import('../channel.js').Port} */ (workerThreads()?.parentPort ?? globalThis);
serve(port, createHandlers());

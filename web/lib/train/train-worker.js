// The worker's entry: an engine that trains, and answers messages.
import { serve } from '../channel.js';
import { workerThreads } from '../runtime.js';
import { createHandlers } from './train-engine.js';

const port = /** @type {import('../channel.js').Port} */ (workerThreads()?.parentPort ?? globalThis);
serve(port, createHandlers());

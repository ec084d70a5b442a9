// The code that the attention family's engine needs to run. It is loaded with the engine, by the first call.
import { startGuarded } from '../engine/start-guarded.js';
import createModule from './glue.js';

/** @param {import('../engine/instantiate.js').WasmSettings} settings */
export const startEngine = (settings) => startGuarded(createModule, settings, 'the next call starts a new one');

// Starts an engine of any kind, with threads if they are requested and possible, with functions that throw.
import { guard } from './guard.js';
import { instantiate } from './instantiate.js';

/** @typedef {import('./guard.js').GuardedModule} GuardedModule */

/**
 * Compiles and starts the engine.
 * @param {typeof import('./glue.js').default} create the glue of this kind of engine
 * @param {import('./instantiate.js').WasmSettings} settings
 * @returns {Promise<{wasm: GuardedModule} & Omit<import('./instantiate.js').Instance, 'module'>>} rejects as `instantiate` does
 */
export async function instantiateGuarded(create, settings) {
  const { module, ...how } = await instantiate(create, settings);
  return { wasm: guard(module), ...how };
}

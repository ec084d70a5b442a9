// Starts the engine with functions that throw.
import { guard } from './guard.js';
import { instantiate } from './instantiate.js';

/** @typedef {import('./guard.js').GuardedModule} GuardedModule */

/**
 * Compiles and starts the engine.
 * @param {import('./instantiate.js').WasmSettings} settings
 * @param {string} [advice] what to do when it has stopped
 * @returns {Promise<{wasm: GuardedModule} & Omit<import('./instantiate.js').Instance, 'module'>>} rejects as `instantiate` does
 */
export async function instantiateGuarded(settings, advice) {
  const { module, ...how } = await instantiate(settings);
  return { wasm: guard(module, advice), ...how };
}

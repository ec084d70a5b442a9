// Starts an engine of any kind in one thread. guarded.js can also start threads; attention and training have no build with
// threads, so their pages do not download that code.
import { choose } from './choose.js';
import { compile, start } from './compile.js';
import { guard } from './guard.js';

/**
 * Chooses the build, compiles and starts it.
 * @param {typeof import('./glue.js').default} create the glue of this kind of engine
 * @param {import('./instantiate.js').WasmSettings} settings
 * @param {string} [advice] what to do when the engine has stopped
 * @returns {Promise<{wasm: import('./guard.js').GuardedModule} & Omit<import('./instantiate.js').Instance, 'module'>>}
 *   functions that throw; rejects with a QkvError: NETWORK, MISSING_FILE, UNSUPPORTED, INVALID_FILE, ENGINE_FAILED
 */
export async function startGuarded(create, settings, advice) {
  const { build, from } = choose(settings);
  const compiled = await compile(from);
  return { wasm: guard(await start(create, compiled), advice), build, threads: 1, compiled };
}

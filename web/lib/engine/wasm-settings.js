// Reads the option `wasm`: the WebAssembly to run.
import { givenWasm } from '../base/wasm-argument.js';

/** @typedef {'baseline' | 'relaxed' | (string & {}) | URL | ArrayBuffer | WebAssembly.Module} WasmOption */

/** Whether it is one of the package's builds. @param {WasmOption | undefined} wasm */
export const isOwnBuild = (wasm) => wasm === undefined || wasm === 'baseline' || wasm === 'relaxed';

/**
 * @param {WasmOption | undefined} wasm
 * @param {() => Extract<import('./instantiate.js').WasmSettings, {pick: object}>} own the package's builds
 * @returns {import('./instantiate.js').WasmSettings} throws a QkvError, code INVALID_ARGUMENT
 */
export function wasmSettings(wasm, own) {
  if (wasm === undefined) return own();
  if (!isOwnBuild(wasm)) return { build: 'custom', from: givenWasm(wasm) };
  const build = /** @type {'baseline' | 'relaxed'} */ (wasm);
  return { build, from: own().pick[build] };
}

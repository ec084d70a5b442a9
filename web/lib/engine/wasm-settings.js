// The WebAssembly to run, from the user's option.
import { givenWasm } from '../base/given-wasm.js';

/** @typedef {'baseline' | 'relaxed' | (string & {}) | URL | ArrayBuffer | WebAssembly.Module} WasmOption */

/**
 * @param {WasmOption | undefined} wasm
 * @param {() => Extract<import('./instantiate.js').WasmSettings, {pick: object}>} own the package's builds
 * @returns {import('./instantiate.js').WasmSettings} throws a QkvError, code INVALID_ARGUMENT
 */
export function wasmSettings(wasm, own) {
  if (wasm === undefined) return own();
  const named = wasm === 'baseline' || wasm === 'relaxed' ? /** @type {'baseline' | 'relaxed'} */ (wasm) : null;
  if (named) return { build: named, from: own().pick[named] };
  return { build: 'custom', from: givenWasm(wasm) };
}

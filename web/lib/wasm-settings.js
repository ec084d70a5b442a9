// Which WebAssembly to run, from what a user says.
import { givenWasm } from './given-wasm.js';

/** @typedef {'baseline' | 'relaxed' | (string & {}) | URL | ArrayBuffer | WebAssembly.Module} WasmOption */

/**
 * @param {WasmOption | undefined} wasm
 * @param {() => Extract<import('./instantiate.js').WasmSettings, {pick: object}>} own the package's builds
 * @returns {import('./instantiate.js').WasmSettings}
 */
export function wasmSettings(wasm, own) {
  if (wasm === undefined) return own();
  if (wasm === 'baseline' || wasm === 'relaxed') return { build: wasm, from: /** @type {any} */ (own().pick)[wasm] };
  return { build: 'custom', from: givenWasm(wasm) };
}

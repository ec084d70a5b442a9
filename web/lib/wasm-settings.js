// Which WebAssembly to run, from what a user says.
import { threadsUrls, wasmUrls } from './assets.js';
import { givenWasm } from './given-wasm.js';

/** @typedef {'baseline' | 'relaxed' | (string & {}) | URL | ArrayBuffer | WebAssembly.Module} WasmOption */

/**
 * @param {WasmOption | undefined} wasm
 * @param {number} [threads]
 * @param {() => {baseline: string, relaxed: string}} [urls] the package's builds
 * @returns {import('./instantiate.js').WasmSettings}
 */
export function wasmSettings(wasm, threads = 1, urls = wasmUrls) {
  if (wasm === undefined)
    return { pick: urls(), ...(threads > 1 && { threads: { count: threads, ...threadsUrls() } }) };
  const own = Object.entries(urls()).find(([build]) => build === wasm);
  return own ? { build: own[0], from: own[1] } : { build: 'custom', from: givenWasm(wasm) };
}

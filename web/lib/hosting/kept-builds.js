// The compiled builds of engines, kept as long as the page lives. The next engine, after the last one was released or has
// ended, starts without a download, and with the code that the browser has optimised meanwhile.

/** @typedef {import('../engine/instantiate.js').WasmSettings} WasmSettings */

/** By the URLs that were to choose from. @type {Map<string, {build: string, from: WebAssembly.Module}>} */
const kept = new Map();

/**
 * '' for WebAssembly that is no URL, and for an engine with threads, which chooses its build when it starts.
 * @param {WasmSettings} wasm
 */
function keyOf(wasm) {
  if (!('pick' in wasm)) return typeof wasm.from === 'string' ? wasm.from : '';
  return wasm.threads ? '' : Object.values(wasm.pick).join(' ');
}

/**
 * The settings with a kept module in the place of its URL. If there is none, the engine is asked for its module.
 * @param {WasmSettings} wasm
 * @returns {WasmSettings}
 */
export function withKeptBuild(wasm) {
  const key = keyOf(wasm);
  const known = kept.get(key);
  if (known) return { ...known, isShared: wasm.isShared };
  return key ? { ...wasm, isShared: true } : wasm;
}

/**
 * @param {WasmSettings} wasm of an engine that has started
 * @param {import('../engine/engine.js').Started} started
 */
export function keepBuild(wasm, { build, compiled }) {
  const key = keyOf(wasm);
  if (key && compiled) kept.set(key, { build, from: compiled });
}

import { described, invalid } from './arguments.js';
import { absoluteUrl } from './runtime.js';

const kKinds = ['[object ArrayBuffer]', '[object WebAssembly.Module]'];

/**
 * The WebAssembly that a caller gives, in a form that can be sent to a worker.
 * @param {unknown} wasm
 * @returns {string | ArrayBuffer | WebAssembly.Module} throws a QkvError, code INVALID_ARGUMENT
 */
export function givenWasm(wasm) {
  if (typeof wasm === 'string' || wasm instanceof URL) return absoluteUrl(wasm);
  if (ArrayBuffer.isView(wasm) || kKinds.includes(Object.prototype.toString.call(wasm))) {
    return /** @type {ArrayBuffer | WebAssembly.Module} */ (wasm);
  }
  throw invalid('wasm', `expected the URL, the bytes or the WebAssembly.Module of an engine, got ${described(wasm)}`);
}

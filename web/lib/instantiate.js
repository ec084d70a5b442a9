// The engine's WebAssembly: which build, from where, compiled as it arrives.
import { QkvError } from './errors.js';
import { badStatus, readAll, request } from './fetch.js';
import createModule from './glue.js';

/** @typedef {import('./glue.js').WasmModule} WasmModule */

/**
 * Which engine to run: one of the package's builds by URL (`pick` chooses by what the runtime can do), or one given.
 * @typedef {{pick: {baseline: string, relaxed: string}} | {build: string, from: string | ArrayBuffer | WebAssembly.Module}} WasmSettings
 */

/**
 * @typedef {object} Instance
 * @property {WasmModule} module
 * @property {string} build 'baseline', 'relaxed' or 'custom'
 */

// (func (result v128) (i8x16.relaxed_swizzle (i8x16.splat (i32.const 1)) (i8x16.splat (i32.const 2))))
const kRelaxedProbe = new Uint8Array(
  [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0].concat([
    65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11,
  ]),
);

/** Whether this runtime has relaxed SIMD; a runtime without it rejects the whole relaxed build. */
export const hasRelaxedSimd = () => WebAssembly.validate(kRelaxedProbe);

/**
 * Compiles and starts the engine.
 * @param {WasmSettings} settings
 * @param {AbortSignal} [signal]
 * @returns {Promise<Instance>} rejects with a QkvError: NETWORK, MISSING_FILE, UNSUPPORTED, INVALID_FILE
 */
export async function instantiate(settings, signal) {
  const { build, from } = 'pick' in settings ? choose(settings.pick) : settings;
  const compiled = await compile(from, build, signal);
  return { build, module: await start(compiled) };
}

/** @param {{baseline: string, relaxed: string}} urls */
function choose(urls) {
  return hasRelaxedSimd() ? { build: 'relaxed', from: urls.relaxed } : { build: 'baseline', from: urls.baseline };
}

/**
 * @param {string | ArrayBuffer | WebAssembly.Module} from
 * @param {string} build
 * @param {AbortSignal} [signal]
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(from, build, signal) {
  try {
    if (typeof from === 'string') return await compileUrl(from, signal);
    return from instanceof WebAssembly.Module ? from : await WebAssembly.compile(from);
  } catch (error) {
    throw error instanceof WebAssembly.CompileError ? refused(error, build) : error;
  }
}

/**
 * @param {string} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<WebAssembly.Module>}
 */
async function compileUrl(url, signal) {
  if (!/^https?:/.test(url)) {
    const bytes = await readAll(url, 'qkv.wasm', signal);
    if (!bytes) throw new QkvError('MISSING_FILE', `there is no WebAssembly at ${url}`, 'qkv.wasm');
    return WebAssembly.compile(bytes);
  }
  const response = await request(url, 'qkv.wasm', signal);
  if (!response.ok) throw badStatus(url, response.status, 'qkv.wasm');
  // Compiling as it arrives needs the right media type; servers that lack it cost only that.
  const streams = response.headers.get('content-type') === 'application/wasm';
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/**
 * @param {WebAssembly.CompileError} cause
 * @param {string} build
 */
function refused(cause, build) {
  const message =
    build === 'relaxed' && !hasRelaxedSimd()
      ? 'this runtime has no relaxed SIMD: leave the option `wasm` out, or set it to "baseline"'
      : 'this runtime does not compile what it was given as the engine: check that the file is served as it is, and ' +
        `that the runtime has WebAssembly with SIMD (${cause.message})`;
  return new QkvError('UNSUPPORTED', message, 'qkv.wasm', { cause });
}

/**
 * @param {WebAssembly.Module} compiled
 * @returns {Promise<WasmModule>}
 */
function start(compiled) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {unknown} */ cause) =>
      reject(new QkvError('ENGINE_FAILED', `the engine did not start (${cause})`, 'qkv.wasm', { cause }));
    createModule({
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(compiled, imports)
          .then((instance) => receive(instance, compiled))
          .catch(fail);
        return {};
      },
      // What it would print before it aborts is in the error that it throws.
      print() {},
      printErr() {},
    }).then(resolve, fail);
  });
}

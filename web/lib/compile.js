// WebAssembly, compiled as it arrives, and started.
import { QkvError } from './errors.js';
import { badStatus, readAll, request } from './fetch.js';
import { kCopyAdvice } from './package-file.js';
import { hasRelaxedSimd } from './relaxed.js';

/** @typedef {import('./glue.js').WasmModule} WasmModule */

/**
 * @param {string | ArrayBuffer | WebAssembly.Module} from
 * @param {string} build
 * @param {AbortSignal} [signal]
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(from, build, signal) {
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
    if (!bytes) throw new QkvError('MISSING_FILE', `there is no WebAssembly at ${url}; ${kCopyAdvice}`, 'qkv.wasm');
    return WebAssembly.compile(bytes);
  }
  const response = await request(url, 'qkv.wasm', signal);
  if (!response.ok) throw badStatus(url, response.status, 'qkv.wasm', `; ${kCopyAdvice}`);
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
 * @param {typeof import('./glue.js').default} create
 * @param {WebAssembly.Module} compiled
 * @param {import('./glue.js').ThreadOptions} [threads] to start beside this one
 * @returns {Promise<WasmModule>}
 */
export function start(create, compiled, threads) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {unknown} */ cause) =>
      reject(new QkvError('ENGINE_FAILED', `the engine did not start (${cause})`, 'qkv.wasm', { cause }));
    create({
      ...threads,
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

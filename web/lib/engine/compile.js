// Compiles WebAssembly while it is downloaded, and starts it.
import { QkvError, advised, isAbsent } from '../base/errors.js';
import { bodyOf, reason, request } from '../loading/download.js';
import { collect, genuineOf, readAll } from '../loading/fetch.js';
import { kCopyAdvice } from '../base/package-file.js';
import { requireWebAssembly } from './relaxed.js';

/** @typedef {import('./glue.js').WasmModule} WasmModule */

const kName = 'qkv.wasm';

/**
 * @param {string | ArrayBuffer | WebAssembly.Module} from
 * @param {AbortSignal} [signal]
 * @returns {Promise<WebAssembly.Module>} rejects with a QkvError: NETWORK, MISSING_FILE, INVALID_FILE, UNSUPPORTED
 */
export async function compile(from, signal) {
  requireWebAssembly();
  try {
    if (typeof from === 'string') return await compileUrl(from, signal);
    return from instanceof WebAssembly.Module ? from : await WebAssembly.compile(from);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof QkvError) throw isAbsent(error) ? advised(error, kCopyAdvice) : error;
    if (error instanceof WebAssembly.CompileError || typeof from !== 'string') throw refused(error);
    const message = `the connection broke during the download of ${kName} (${reason(error)})`;
    throw new QkvError('NETWORK', message, kName, { cause: error });
  }
}

/**
 * @param {string} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<WebAssembly.Module>}
 */
async function compileUrl(url, signal) {
  if (!/^https?:/.test(url)) return WebAssembly.compile(await readAll(url, kName, signal));
  const response = await request(url, kName, signal);
  // Compiling during the download needs the right media type. With another one, compiling begins after the download.
  const streams = response.headers.get('content-type') === 'application/wasm';
  if (streams) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await collect(genuineOf(bodyOf(response, kName, signal), kName, url), kName));
}

/** @param {unknown} cause */
function refused(cause) {
  const message =
    'this runtime cannot compile the engine that it was given: check that the file is served as it is, and ' +
    `that the runtime has WebAssembly with SIMD (${reason(cause)})`;
  return new QkvError('UNSUPPORTED', message, kName, { cause });
}

/**
 * @param {typeof import('./glue.js').default} create
 * @param {WebAssembly.Module} compiled
 * @param {import('./glue.js').ThreadOptions} [threads] the threads to start beside this one
 * @returns {Promise<WasmModule>}
 */
export function start(create, compiled, threads) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {unknown} */ cause) =>
      reject(new QkvError('ENGINE_FAILED', `the engine did not start (${cause})`, kName, { cause }));
    create({
      ...threads,
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(compiled, imports)
          .then((instance) => receive(instance, compiled))
          .catch(fail);
        return {};
      },
      // The module prints a text before it aborts. The same text is in the error that it throws.
      print() {},
      printErr() {},
    }).then(resolve, fail);
  });
}

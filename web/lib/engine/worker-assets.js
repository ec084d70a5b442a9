// The URLs of the engine's worker and of the files for several threads.
import { packageFile } from '../base/package-file.js';

/** @param {string} [base] as `packageFile` takes it */
export const workerUrl = (base) => packageFile(base, './worker.js', () => new URL('./worker.js', import.meta.url));

/**
 * The build with threads, and the script that runs it in the worker and in each thread.
 * @param {string} [base]
 */
export const threadsUrls = (base) => ({
  wasm: packageFile(
    base,
    '../../../build/wasm/threads/qkv.wasm',
    () => new URL('../../../build/wasm/threads/qkv.wasm', import.meta.url),
  ),
  glue: packageFile(
    base,
    '../../../build/wasm/threads/qkv.mjs',
    () => new URL('../../../build/wasm/threads/qkv.mjs', import.meta.url),
  ),
});

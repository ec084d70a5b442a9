// The URLs of the builds for qkv/models, and of their worker.
import { packageFile } from '../../base/package-file.js';

/** @param {string} [base] as `packageFile` takes it */
export const modelsWasmUrls = (base) => ({
  baseline: packageFile(
    base,
    '../../../../build/wasm/baseline/models.wasm',
    () => new URL('../../../../build/wasm/baseline/models.wasm', import.meta.url),
  ),
  relaxed: packageFile(
    base,
    '../../../../build/wasm/relaxed/models.wasm',
    () => new URL('../../../../build/wasm/relaxed/models.wasm', import.meta.url),
  ),
});

/**
 * The build with threads, and the script that runs it in the worker and in each thread.
 * @param {string} [base]
 */
export const modelsThreadsUrls = (base) => ({
  wasm: packageFile(
    base,
    '../../../../build/wasm/threads/models.wasm',
    () => new URL('../../../../build/wasm/threads/models.wasm', import.meta.url),
  ),
  glue: packageFile(
    base,
    '../../../../build/wasm/threads/models.mjs',
    () => new URL('../../../../build/wasm/threads/models.mjs', import.meta.url),
  ),
});

/** @param {string} [base] */
export const modelsWorkerUrl = (base) =>
  packageFile(base, './models-worker.js', () => new URL('./models-worker.js', import.meta.url));

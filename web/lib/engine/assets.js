// Where the engine's WebAssembly is. Each file is one literal `new URL(..., import.meta.url)`, which bundlers know how to
// follow. Files that not everybody needs are in modules of their own, so that a build has those that it uses.
import { packageFile } from '../base/package-file.js';

/**
 * The builds of the engine that run everywhere, and wherever there is relaxed SIMD.
 * @param {string} [base] as `packageFile` takes it
 */
export const wasmUrls = (base) => ({
  baseline: packageFile(
    base,
    '../../../build/wasm/baseline/qkv.wasm',
    () => new URL('../../../build/wasm/baseline/qkv.wasm', import.meta.url),
  ),
  relaxed: packageFile(
    base,
    '../../../build/wasm/relaxed/qkv.wasm',
    () => new URL('../../../build/wasm/relaxed/qkv.wasm', import.meta.url),
  ),
});

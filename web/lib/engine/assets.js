// The URLs of the engine's WebAssembly. Each file is one literal `new URL(..., import.meta.url)`, which bundlers
// follow. Files that not every page needs have their own modules, so a build contains only those that it uses.
import { packageFile } from '../base/package-file.js';

/**
 * The builds of the engine: one that runs everywhere, and one for relaxed SIMD.
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

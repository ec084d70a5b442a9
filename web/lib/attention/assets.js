// The URLs of the attention family's builds.
import { packageFile } from '../base/package-file.js';

/** @param {string} [base] as `packageFile` takes it */
export const attentionWasmUrls = (base) => ({
  baseline: packageFile(
    base,
    '../../../build/wasm/baseline/attention.wasm',
    () => new URL('../../../build/wasm/baseline/attention.wasm', import.meta.url),
  ),
  relaxed: packageFile(
    base,
    '../../../build/wasm/relaxed/attention.wasm',
    () => new URL('../../../build/wasm/relaxed/attention.wasm', import.meta.url),
  ),
});

/** The build with gradients. @param {string} [base] as `packageFile` takes it */
export const gradientWasmUrl = (base) =>
  packageFile(
    base,
    '../../../build/wasm/train/attention.wasm',
    () => new URL('../../../build/wasm/train/attention.wasm', import.meta.url),
  );

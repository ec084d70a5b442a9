// The URLs of the build that trains and of its worker.
import { packageFile } from '../base/package-file.js';

/** @param {string} [base] as `packageFile` takes it */
export const trainUrl = (base) =>
  packageFile(
    base,
    '../../../build/wasm/train/qkv.wasm',
    () => new URL('../../../build/wasm/train/qkv.wasm', import.meta.url),
  );

/** @param {string} [base] */
export const trainWorkerUrl = (base) =>
  packageFile(base, './train-worker.js', () => new URL('./train-worker.js', import.meta.url));

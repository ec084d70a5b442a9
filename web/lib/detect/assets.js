// Where the detector's weights are.
import { packageFile } from '../base/package-file.js';

/** @param {string} [base] as `packageFile` takes it */
export const weightsUrl = (base) =>
  packageFile(
    base,
    '../../models/detect/languages.bin',
    () => new URL('../../models/detect/languages.bin', import.meta.url),
  );

// The core as native code: tests/bench/*.cc, one process for each sample.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { at } from '../../../web/tools/common.mjs';
import { argumentsFor, modelOf, readSamples } from '../kernels.mjs';

const execute = promisify(execFile);

/** @param {string} build the folder of the native build */
export const nativeBench = (build) => join(build, 'qkv_bench');

/** @param {{native: string}} builds */
export const openNative = async (builds) => ({
  async open() {
    return {
      async sample(work, variant) {
        const folder = modelOf(work);
        const given = argumentsFor(work, folder && at(...folder.split('/')), variant);
        const { stdout } = await execute(nativeBench(builds.native), given).catch(({ stderr, message }) => {
          throw new Error(stderr?.trim() || message);
        });
        return readSamples(stdout);
      },
      async release() {},
      async close() {},
    };
  },
  async close() {},
});

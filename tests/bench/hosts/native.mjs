// The core as native code: tests/bench/kernels_bench.cc, a process for each sample.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { at } from '../../../web/tools/common.mjs';
import { kernelName, readSamples } from '../kernels.mjs';

const execute = promisify(execFile);
export const kNativeBench = at('build', 'native', 'qkv_bench');

export const openNative = async () => ({
  async open() {
    return {
      sample: async (work) => readSamples((await execute(kNativeBench, ['--json', kernelName(work)])).stdout),
      async release() {},
      async close() {},
    };
  },
  async close() {},
});

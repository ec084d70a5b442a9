// The command in its two builds: native, and for Node.

import { spawnSync } from 'node:child_process';
import { at } from '../../web/tools/common.mjs';

export const kNative = [at('build/native/qkv')];
export const kNode = [process.execPath, at('build/qkv-cli/qkv.js')];

/** For describe.each and test.each. */
export const kBoth = /** @type {const} */ ([
  ['native', kNative],
  ['in Node', kNode],
]);

/**
 * Runs it in a folder.
 * @param {string[]} command
 * @param {string[]} given
 * @param {string | Buffer} input
 * @param {string} cwd
 */
export function runIn([program, ...first], given, input, cwd) {
  const { status, stdout, stderr } = spawnSync(program, [...first, ...given], {
    ...{ input, cwd, encoding: 'utf8', maxBuffer: 1 << 28 },
    env: { ...process.env, QKV_MODEL: '' },
  });
  // The default of --threads depends on the machine.
  return { status, stdout: stdout.replace(/(--threads .*\])=\d+/, '$1'), stderr };
}

// Memory of attention over 16,384 positions beside inputs and output: natively the process's peak, in WebAssembly the
// growth of its memory.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nativeBench } from './hosts/native.mjs';

const execute = promisify(execFile);
const child = fileURLToPath(new URL('memory-child.mjs', import.meta.url));

/**
 * @param {string[]} hosts
 * @param {{native: string}} builds
 * @returns {Promise<{host: string, bytes: number, milliseconds: number}[]>}
 */
export async function measureMemory(hosts, builds) {
  const found = [];
  if (hosts.includes('node')) found.push({ host: 'node', ...(await printed(process.execPath, [child])) });
  if (hosts.includes('native'))
    found.push({ host: 'native', ...(await printed(nativeBench(builds.native), ['--memory'])) });
  return found;
}

async function printed(command, args) {
  const { bytes, milliseconds } = JSON.parse((await execute(command, args)).stdout);
  return { bytes, milliseconds };
}

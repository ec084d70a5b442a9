// The machine and the versions of a measurement. Without them a number means nothing.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { at } from '../../web/tools/common.mjs';

const kFlags = ['sse4_1', 'avx2', 'fma', 'avx512f', 'avx512_vnni', 'avx_vnni', 'amx_int8', 'asimd', 'asimddp'];

function flags() {
  if (process.platform !== 'linux') return [];
  const line = /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'));
  const all = new Set(line?.[1].trim().split(' '));
  return kFlags.filter((flag) => all.has(flag));
}

/** @param {string} command @param {string[]} args */
function outputOf(command, ...args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', cwd: at(), stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

function peers() {
  const { dependencies } = JSON.parse(readFileSync(at('tests', 'bench', 'package.json'), 'utf8'));
  return dependencies;
}

/**
 * @param {{chromium?: string, dot: Record<string, string>, noVnni: boolean}} hosts chromium: the browser's version. dot:
 * what each host's V8 makes of the dot product of bytes. noVnni: whether it was told to take two steps
 */
export const machine = ({ chromium, dot, noVnni }) => ({
  when: new Date().toISOString(),
  machine: `${cpus()[0].model.trim()}, ${cpus().length} processors`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  system: `${process.platform} ${release()}`,
  flags: flags(),
  load: Number(loadavg()[0].toFixed(1)),
  commit: outputOf('git', 'describe', '--always', '--dirty'),
  node: process.versions.node,
  dot,
  ...(noVnni && { noVnni }),
  ...(chromium && { chromium }),
  peers: peers(),
});

// The native command `qkv translate`, as users run it: a file of lines in, translations out. Its start and the reading of
// its model are part of a run.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folderOf } from '../models/folder-names.mjs';
import { letters, textsOf } from '../models/texts.mjs';

const execute = promisify(execFile);

/**
 * @param {import('./session.mjs').Host} host
 * @param {{threads: number}} options
 */
export async function open(host, { threads }) {
  /** @param {import('../workloads.mjs').Lines} work */
  async function prepare({ model, precision, beam, length, ...work }) {
    const { texts, words } = textsOf({ model, length, ...work });
    const folder = await mkdtemp(join(tmpdir(), 'qkv-bench-'));
    const input = join(folder, 'input');
    await writeFile(input, texts.map((text) => `${text}\n`).join(''));
    const options = {
      model: fileURLToPath(host.url(folderOf(model, precision))),
      ...{ beam, threads, input, 'max-length': length },
    };
    const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const run = async () => {
      const all = ['translate', ...given, '--no-copy', '--no-shortlist'];
      return (await execute(join(host.builds.native, 'qkv'), all, { maxBuffer: 1 << 30 })).stdout;
    };
    const written = async () => letters((await run()).trimEnd().split('\n'));
    const release = () => rm(folder, { recursive: true });
    return { run, ...(precision === 'f32' && { output: written }), words, release };
  }
  return { prepare };
}

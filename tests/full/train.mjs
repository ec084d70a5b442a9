// Training in full: killed at twenty random moments, the whole task of the page test, and the Lab's claims.

import { spawnSync } from 'node:child_process';
import { at } from '../../web/tools/common.mjs';

const kFiles = {
  'a run killed at 20 random moments': { file: 'tests/cli/train.test.js', env: { QKV_KILLS: '20' } },
  'words of up to 12 letters turned round in Chromium': {
    file: 'tests/web/train.test.js',
    env: { QKV_REVERSAL: 'full' },
  },
  'the claims of the Lab’s experiments': { file: 'tests/lib/lab-presets.test.js', env: { QKV_LAB: 'full' } },
};

export async function* training() {
  for (const [name, { file, env }] of Object.entries(kFiles)) {
    const args = ['--experimental-vm-modules', '--no-warnings', at('node_modules', '.bin', 'jest'), at(file)];
    const run = spawnSync(process.execPath, args, { cwd: at(), env: { ...process.env, ...env }, encoding: 'utf8' });
    const seconds = /seconds: ([\d.]+)/.exec(run.stderr + run.stdout);
    const summary =
      run.status === 0 ? `as it should be${seconds ? `, in ${seconds[1]} s` : ''}` : run.stderr.slice(-2000);
    yield { name, summary, [run.status === 0 ? 'passed' : 'failed']: 1 };
  }
}

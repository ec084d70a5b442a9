// Installs the peers for the benchmark, if their lock file is not the one installed last.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { at, run, say } from '../../web/tools/common.mjs';

/** Install scripts are not run (.npmrc): what is measured comes with the packages themselves. */
export async function installPeers() {
  const folder = at('tests', 'bench');
  const lock = createHash('sha256')
    .update(readFileSync(at('tests', 'bench', 'package-lock.json')))
    .digest('hex');
  const stamp = at('tests', 'bench', 'node_modules', '.lock-hash');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  say('npm ci: the peers');
  await run('npm', ['ci', '--loglevel=error'], { cwd: folder });
  writeFileSync(stamp, lock);
}

// One engine in its own Node process. The parent sends it commands.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { openSession } from '../engines/session.mjs';

const root = new URL('../../../', import.meta.url);

const { builds, ...contender } = JSON.parse(process.argv[2]);

/** @type {import('../engines/session.mjs').Host} */
const host = {
  isNode: true,
  url: (path) => new URL(path, root).href,
  bytes: (path) => readFile(new URL(path, root)),
  script: (path) => runScript(fileURLToPath(new URL(path, root))),
  builds,
};

/** Loads a classic script for browsers, which detects that it runs in Node. @param {string} file */
async function runScript(file) {
  Object.assign(globalThis, { require: createRequire(file), __filename: file, __dirname: dirname(file) });
  runInThisContext(await readFile(file, 'utf8'), { filename: file });
}

const session = await openSession(host, contender);
process.on('message', async ({ id, method, args }) => {
  const answer = await session[method](...args).then(
    (result) => ({ id, result }),
    (error) => ({ id, error: String(error?.stack ?? error) }),
  );
  process.send(answer);
});
process.on('disconnect', () => process.exit());
process.send({ id: 0 });

// Engines in Node, each in its own process.

import { execFile, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const child = fileURLToPath(new URL('node-child.mjs', import.meta.url));

/**
 * @param {object} builds
 * @param {{engine: string, options: object, flags?: string[]}} contender flags: of V8's
 */
async function open(builds, { engine, options, flags = [] }) {
  const process = fork(child, [JSON.stringify({ builds, engine, options })], {
    execArgv: flags,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map();
  let calls = 0;
  process.on('message', ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(error));
  });
  process.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${engine} in Node ended with ${code}`));
  });
  const answer = (id) => new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  const call =
    (method) =>
    (...args) => {
      process.send({ id: ++calls, method, args });
      return answer(calls);
    };
  await answer(0);
  return { sample: call('sample'), release: call('release'), close: () => process.disconnect() };
}

/** What V8 makes of the dot product of bytes under flags. @param {string[]} flags */
async function dot(flags) {
  const program = `import(${JSON.stringify(new URL('../dot.mjs', import.meta.url))}).then(async (m) => console.log(await m.byteDot()))`;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '-e', program]);
  return stdout.trim();
}

/** Those that this Node's V8 knows. @param {string[]} flags */
export async function knownFlags(flags) {
  const { stdout } = await promisify(execFile)(process.execPath, ['--v8-options']);
  return flags.filter((flag) => stdout.includes(flag.replace(/^--(no-)?/, '--')));
}

/**
 * @param {object} builds
 * @param {string[]} [flags] of V8's, for every engine
 */
export const openNode = async (builds, flags = []) => ({
  open: (contender) => open(builds, { ...contender, flags: [...(contender.flags ?? []), ...flags] }),
  dot: (own) => dot([...own, ...flags]),
  async close() {},
});

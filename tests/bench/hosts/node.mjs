// Engines in Node, each in its own process.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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

/** @param {object} builds */
export const openNode = async (builds) => ({ open: (contender) => open(builds, contender), async close() {} });

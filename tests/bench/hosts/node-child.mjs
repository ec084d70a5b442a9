// One engine in a Node process of its own, told what to do by its parent.

import { openDesk } from '../engines/desk.mjs';

const root = new URL('../../../', import.meta.url);

/** @type {import('../engines/desk.mjs').Host} */
const host = { isNode: true, url: (path) => new URL(path, root).href };

const desk = await openDesk(host, JSON.parse(process.argv[2]));
process.on('message', async ({ id, method, args }) => {
  const answer = await desk[method](...args).then(
    (result) => ({ id, result }),
    (error) => ({ id, error: String(error?.stack ?? error) }),
  );
  process.send(answer);
});
process.on('disconnect', () => process.exit());
process.send({ id: 0 });

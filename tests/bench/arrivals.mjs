// Serves models in Marian's file whose last bytes come when they are asked for, so that the time from there to a translation
// can be measured. /MODEL/DECODER/RUN is the file of a run, /RUN/waiting answers when all but its last bytes are on the
// way, and /RUN/release sends the last ones.

import { createServer } from 'node:http';
import { listen } from '../servers.js';
import { architectures } from './models/architectures.mjs';
import { marianModel } from './models/marian.mjs';

/** The bytes that are held back: about what one packet brings. */
const kLast = 1 << 14;

/** @returns {Promise<{url: string, close: () => Promise<void>}>} */
export async function serveArrivals() {
  const models = new Map();
  const runs = new Map();
  const runOf = (name) => {
    if (!runs.has(name)) runs.set(name, { waiting: gate(), released: gate() });
    return runs.get(name);
  };
  const bytesOf = (model, decoder) => {
    const key = `${model} ${decoder}`;
    if (!models.has(key)) models.set(key, marianModel(architectures[model], decoder));
    return models.get(key);
  };
  const server = createServer(async (request, response) => {
    const [first, second, third] = request.url.slice(1).split('/');
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('cross-origin-resource-policy', 'cross-origin');
    response.setHeader('content-type', 'application/octet-stream');
    if (third === undefined) {
      const run = runOf(first);
      if (second === 'release') run.released.open();
      else await run.waiting.opened;
      return response.end();
    }
    const bytes = bytesOf(first, second);
    const run = runOf(third);
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, -kLast), () => run.waiting.open());
    await run.released.opened;
    runs.delete(third);
    response.end(bytes.subarray(-kLast));
  });
  const { port, close } = await listen(server);
  return { url: `http://127.0.0.1:${port}/`, close };
}

function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { opened, open };
}

// `npm start`: sets up, builds the WebAssembly and the pages, and serves them on localhost.
//
// usage: start.mjs [--port N] [--host NAME]...

import { parseArgs } from 'node:util';
import { at, fail, say, setUp } from './common.mjs';
import { serve } from './serve.mjs';

async function main() {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '8080' }, host: { type: 'string', multiple: true } },
  });
  await setUp();
  const { build } = await import('./build.mjs');
  await build(['wasm', 'web']);
  const start = (/** @type {number} */ port) => serve(at('build', 'site'), { port, hosts: values.host });
  const { url } = await start(Number(values.port)).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return start(0);
  });
  say(`qkv is at ${url} (Ctrl+C ends it)`);
}

await main().catch(fail);

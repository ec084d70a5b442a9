// `npm run dev`: serves the pages of `npm start`, and rebuilds them when files change: JavaScript immediately, C++ within
// seconds.
//
// usage: dev.mjs [--port N] [--host NAME]...

import { watch } from 'node:fs';
import { parseArgs } from 'node:util';
import { ToolError, at, fail, say, setUp } from './common.mjs';
import { serve } from './serve.mjs';

const kQuiet = 100; // ms without a change before a rebuild, because editors write in several steps

/** The part that must be built again after a file has changed; null: none. @param {string} folder @param {string} file */
function partOf(folder, file) {
  if (/(^|\/)[.#]|~$/.test(file)) return null;
  if (folder === 'web') return file.startsWith('tools/') ? null : 'web';
  return /\.(cc|h|cmake)$/.test(file) ? 'wasm' : null;
}

async function main() {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '8080' }, host: { type: 'string', multiple: true } },
  });
  await setUp();
  const { build } = await import('./build.mjs');
  await build(['wasm', 'web'], { minify: false });

  // Builds the stale parts. Files that change during a build are built after it.
  const stale = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let building = false;
  async function rebuild() {
    if (building) return;
    building = true;
    while (stale.size > 0) {
      const parts = stale.has('wasm') ? ['wasm', 'web'] : ['web'];
      stale.clear();
      const begin = performance.now();
      await build(parts, { minify: false }).then(
        () => say(`rebuilt in ${((performance.now() - begin) / 1000).toFixed(1)} s: reload the page`),
        (error) => console.error(error instanceof ToolError ? error.message : error),
      );
    }
    building = false;
  }
  // Watch the files, and rebuild after a pause.
  for (const folder of ['core', 'wasm', 'web']) {
    watch(at(folder), { recursive: true }, (_, file) => {
      const part = file === null ? null : partOf(folder, file);
      if (part === null) return;
      stale.add(part);
      clearTimeout(timer);
      timer = setTimeout(rebuild, kQuiet);
    });
  }
  const { url } = await serve(at('build', 'site'), { port: Number(values.port), hosts: values.host });
  say(`qkv is at ${url}, and follows changes in core/, wasm/ and web/ (Ctrl+C ends it)`);
}

await main().catch(fail);

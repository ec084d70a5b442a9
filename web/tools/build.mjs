// `npm run build`: the native command at build/native/qkv, the WebAssembly at build/wasm/, the package at dist/, the pages
// at build/site/.
//
// usage: build.mjs [native] [wasm] [web]   default: all three

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ToolError, at, cmake, fail, say, setUp } from './common.mjs';

/** Builds the engines. All builds of an engine must have the same glue, because the package contains it once. */
async function buildWasm() {
  for (const kind of ['baseline', 'relaxed', 'threads', 'train']) {
    say(`wasm: ${kind}`);
    await cmake(`wasm-${kind}`);
  }
  for (const name of ['qkv.mjs', 'models.mjs', 'attention.mjs']) {
    const glue = (/** @type {string} */ kind) => readFileSync(at('build', 'wasm', kind, name));
    const others = name === 'attention.mjs' ? ['relaxed', 'train'] : ['relaxed'];
    if (others.some((kind) => !glue('baseline').equals(glue(kind))))
      throw new ToolError(`The builds' glue differs: ${name}.`);
  }
}

/**
 * @param {string[]} parts 'native', 'wasm', 'web'; empty: all
 * @param {{minify?: boolean}} [options]
 */
export async function build(parts = [], { minify = true } = {}) {
  const wants = (/** @type {string} */ part) => parts.length === 0 || parts.includes(part);
  if (wants('native')) {
    say('native');
    await cmake('native');
  }
  if (wants('wasm')) await buildWasm();
  if (wants('web')) {
    say('web');
    const { bundlePackage, bundleSite } = await import('./bundle.mjs');
    await bundlePackage({ minify });
    await bundleSite({ minify });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setUp()
    .then(() => build(process.argv.slice(2)))
    .catch(fail);
}

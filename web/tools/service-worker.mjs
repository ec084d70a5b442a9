// Writes the service worker of the pages, with the list of the files that it keeps. Its version changes when a file changes.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { at } from './common.mjs';

/**
 * The files that it keeps: the pages, their scripts and styles, the engine that translates and the language detector. Documents
 * and models are not among them. Texts in other languages than English are kept when a page has used them.
 */
const kKept =
  /^((?!zh-)[\w-]+\.(html|js|css|svg|webmanifest)|assets\/(worker\.js|qkv-(baseline|relaxed)-\w+\.wasm|qkv-detect-\w+\.bin))$/;

/** The service worker for `npm run dev`: it removes itself, and the files that an earlier one has kept. */
const kNone = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith('qkv-pages ')) await caches.delete(name);
  await registration.unregister();
})()));
`;

/**
 * @param {string} out the folder of the pages
 * @param {{isKeeping: boolean, minify: boolean}} options
 */
export async function writeServiceWorker(out, { isKeeping, minify }) {
  const shared = /** @type {const} */ ({ outfile: join(out, 'sw.js'), target: 'es2022', minify, logLevel: 'warning' });
  if (!isKeeping) return void (await esbuild({ ...shared, stdin: { contents: kNone } }));
  const names = readdirSync(out, { recursive: true }).map((name) => String(name).replaceAll('\\', '/'));
  const files = names.filter((name) => kKept.test(name)).toSorted();
  const hash = createHash('sha256');
  for (const name of files) hash.update(`${name}\n`).update(readFileSync(join(out, name)));
  const define = {
    kFiles: JSON.stringify(files.map((name) => (name === 'index.html' ? '' : name))),
    kVersion: JSON.stringify(hash.digest('hex').slice(0, 16)),
  };
  await esbuild({ ...shared, entryPoints: [at('web', 'demo', 'sw.js')], format: 'iife', define });
}

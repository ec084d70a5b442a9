/// <reference path="./sw-globals.d.ts" />
// The service worker of the pages. It keeps their files, so that they open without a network. The package keeps the models.
// The build sets `kFiles` and `kVersion`.

/* global kFiles, kVersion */

const scope = new URL('./', location.href);
const kName = `qkv-pages ${scope.pathname} `;
/** Files that are kept when a page uses them: the engines and models of the other pages, texts in other languages. */
const kUsed = /^((assets|models\/english)\/|zh-)/;

/** @param {string} path */
async function keep(path) {
  const response = await fetch(new Request(new URL(path, scope), { cache: 'no-cache' }));
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  // A response that came by a redirect may not answer a navigation.
  const own = response.redirected ? new Response(response.body, response) : response;
  await (await caches.open(kName + kVersion)).put(new URL(path, scope), own);
}

/** Removes the files of older versions. */
async function removeOld() {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(kName) && name !== kName + kVersion).map((name) => caches.delete(name)),
  );
}

/** @param {Request} request @param {string} path */
async function answer(request, path) {
  const cache = await caches.open(kName + kVersion);
  const kept = await cache.match(new URL(path, scope));
  if (kept) return kept;
  const response = await fetch(request);
  if (response.status === 200 && kUsed.test(path)) await cache.put(new URL(path, scope), response.clone());
  return response;
}

const worker = /** @type {any} */ (globalThis);
worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(Promise.all(kFiles.map(keep))));
worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(removeOld()));
worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { method, url } = event.request;
  if (method !== 'GET' || !url.startsWith(scope.href)) return;
  const path = new URL(url).pathname.slice(scope.pathname.length).replace(/^index\.html$/, '');
  if (kFiles.includes(path) || kUsed.test(path)) event.respondWith(answer(event.request, path));
});

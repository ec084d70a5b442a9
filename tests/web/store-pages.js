// Shared by the tests of the store in each browser: a server that records requests for models, and functions that visit a page.

import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { listen } from '../servers.js';
import { built } from './chromium.js';

const kTypes = {
  '.js': 'text/javascript',
  '.html': 'text/html',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};
const kPage = '<!doctype html><html lang="en"><head><title>A page</title></head><body></body></html>';

/**
 * Serves a page, the package, and the models as models/en-fr/. HTTP caches do not store the models. `breakAfter`: the
 * connection breaks once, after so many bytes of weights. `isDown`: no file of a model is served.
 */
export async function serveStore() {
  const state = { url: '', asked: [], breakAfter: 0, isDown: false };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname.endsWith('.html')) return response.writeHead(200, { 'content-type': 'text/html' }).end(kPage);
    const isModel = pathname.startsWith('/models/');
    const file = isModel ? join(built.models, pathname.slice(8)) : join(built.package, pathname);
    const { range } = request.headers;
    if (isModel) state.asked.push(`${pathname.split('/').at(-1)}${range ? ` ${range}` : ''}`);
    if (request.method === 'OPTIONS') return response.writeHead(403).end(); // the package's own headers are refused
    if (isModel && state.isDown) return response.destroy();
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    const { size, mtimeMs } = statSync(file);
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    response.writeHead(start ? 206 : 200, {
      'content-type': kTypes[extname(file)] ?? 'application/octet-stream',
      'content-length': size - start,
      'cache-control': isModel ? 'no-store' : 'no-cache',
      etag: `"${mtimeMs}"`,
      ...(isModel && { 'access-control-allow-origin': '*' }),
      ...(start && { 'content-range': `bytes ${start}-${size - 1}/${size}` }),
    });
    if (state.breakAfter && file.endsWith('.safetensors')) {
      const end = state.breakAfter - 1;
      state.breakAfter = 0;
      const part = createReadStream(file, { end });
      part.pipe(response, { end: false });
      part.on('end', () => setTimeout(() => response.destroy(), 500));
    } else createReadStream(file, { start }).pipe(response);
  });
  const { port, close } = await listen(server);
  state.url = `http://localhost:${port}/`;
  return Object.assign(state, { close });
}

/** Runs in a page: the availability, a translation, and what is stored afterwards. */
export async function visit(options = {}) {
  const { Translator, models } = await import(new URL('/index.js', location.href).href);
  const pair = { sourceLanguage: 'en', targetLanguage: 'fr', model: '/models/en-fr/', ...options };
  const before = await Translator.availability(pair);
  const translator = await Translator.create(pair);
  const text = await translator.translate('I love you.');
  for (let i = 0; i < 200 && pair.store !== false && !(await models.list()).length; i++) {
    await new Promise((later) => setTimeout(later, 50));
  }
  const list = await models.list();
  translator.destroy();
  return { before, text, kept: list.map(({ name, bytes }) => [name, bytes]), error: '' };
}

/** The same, for a visit that may fail. */
export async function failing() {
  // WebKit's driver uses private windows: a window's store is lost when no page or worker has the cache open.
  globalThis.held = await caches.open('qkv-models');
  const { Translator } = await import(new URL('/index.js', location.href).href);
  const pair = { sourceLanguage: 'en', targetLanguage: 'fr', model: '/models/en-fr/' };
  const error = await Translator.create(pair).catch((reason) => reason);
  await new Promise((later) => setTimeout(later, 500)); // the data that has arrived is being written
  return error.name;
}

/** Runs in a page: two documents that load the same model at once. */
export async function twoAtOnce() {
  globalThis.held = await caches.open('qkv-models');
  const load = async () => {
    const frame = document.createElement('iframe');
    frame.src = '/frame.html';
    const loaded = new Promise((done) => (frame.onload = done));
    document.body.append(frame);
    await loaded;
    const { Translator } = await frame.contentWindow.eval(`import('/index.js')`);
    const pair = { sourceLanguage: 'en', targetLanguage: 'fr', model: '/models/en-fr/' };
    return (await Translator.create(pair)).translate('I love you.');
  };
  return Promise.all([load(), load()]);
}

export async function removeAll() {
  const { models } = await import(new URL('/index.js', location.href).href);
  return models.remove();
}

/** What the model takes in the store: its files, without the manifest. */
const kBytes = Object.values(JSON.parse(readFileSync(join(built.models, 'en-fr', 'manifest.json'), 'utf8')).files)
  .map(({ size }) => size)
  .reduce((a, b) => a + b);
export const kVisit = { before: 'available', text: "Je t'aime.", kept: [['en-fr', kBytes]], error: '' };

/**
 * The tests of the store, in a browser.
 * @param {() => Promise<(use: Function, ...values: any[]) => Promise<any>>} visiting loads the page anew; gives what runs a function in it
 * @param {() => Awaited<ReturnType<typeof serveStore>>} serverOf
 */
export function testStore(visiting, serverOf) {
  const kPatience = 120_000;
  const asked = () => serverOf().asked.splice(0);

  test(
    'a second visit downloads nothing, though the server said no-store; nor a visit offline',
    async () => {
      const server = serverOf();
      const first = await (await visiting())(visit);
      expect(first).toEqual({ ...kVisit, before: 'downloadable' });
      expect(asked()).toContain('model.safetensors');
      expect(await (await visiting())(visit)).toEqual(kVisit);
      server.isDown = true;
      expect(await (await visiting())(visit)).toEqual(kVisit);
      expect(asked()).toEqual([]);
      server.isDown = false;
      expect(await (await visiting())(visit, { store: false })).toMatchObject({
        before: 'downloadable',
        text: "Je t'aime.",
      });
      expect(asked()).toContain('model.safetensors');
      expect(await (await visiting())(removeAll)).toBe(1);
    },
    kPatience,
  );

  test(
    'a download that broke off goes on from there at the next visit',
    async () => {
      const server = serverOf();
      server.breakAfter = 3_000_000;
      expect(await (await visiting())(failing)).toBe('NetworkError');
      asked();
      expect(await (await visiting())(visit)).toEqual({ ...kVisit, before: 'downloadable' });
      const [again, ...more] = asked().filter((name) => name !== 'manifest.json');
      expect(more).toEqual([]);
      const begin = Number(/^model\.safetensors bytes=(\d+)-$/.exec(again)[1]);
      expect(begin).toBeGreaterThanOrEqual(1 << 20); // browsers drop data that they had not passed on yet
      expect(begin).toBeLessThanOrEqual(3_000_000);
      await (
        await visiting()
      )(removeAll);
    },
    kPatience,
  );

  test(
    'two pages that load a model at once download it once',
    async () => {
      expect(await (await visiting())(twoAtOnce)).toEqual(["Je t'aime.", "Je t'aime."]);
      expect(asked().filter((name) => name.startsWith('model.safetensors'))).toEqual(['model.safetensors']);
      await (
        await visiting()
      )(removeAll);
    },
    kPatience,
  );
}

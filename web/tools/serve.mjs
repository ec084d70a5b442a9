// A small static server for development and tests: the right media types, ranges, nothing cached.
//
// usage: serve.mjs [FOLDER] [--port N] [--isolated]
//   --isolated   cross-origin isolation (COOP and COEP), as threads in WebAssembly need

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const kTypes = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** The file that a request's path names within `folder`, or null. */
async function find(folder, path) {
  const file = normalize(join(folder, path.endsWith('/') ? `${path}index.html` : path));
  if (!file.startsWith(folder + sep)) return null;
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? { file, size: found.size } : null;
}

/** `bytes=a-b` as [first, last], within size; null where there is no such range to serve. */
function byteRange(header, size) {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? '');
  if (!match) return null;
  const first = Number(match[1]);
  const last = Math.min(match[2] === '' ? size - 1 : Number(match[2]), size - 1);
  return first <= last ? [first, last] : null;
}

/** The path that a request asks for below `base`, from '/' on; null where there is no such thing. */
function pathBelow(base, url) {
  try {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
    return path.startsWith(base) && !path.includes('\0') ? path.slice(base.length - 1) : null;
  } catch {
    return null;
  }
}

/** The file of a path: of the folder that has its beginning in `also`, or of `folder`. */
async function findIn(folder, also, path) {
  const [start, other] = Object.entries(also).find(([prefix]) => path.startsWith(`/${prefix}`)) ?? ['', folder];
  return find(resolve(other), path.slice(start.length));
}

async function answer(folder, { base, headers, also }, request, response) {
  const path = pathBelow(base, request.url);
  const found = path === null ? null : await findIn(folder, also, path);
  if (!found || !['GET', 'HEAD'].includes(request.method)) {
    response
      .writeHead(found ? 405 : 404, { 'content-type': 'text/plain' })
      .end(found ? 'GET only\n' : 'There is nothing here.\n');
    return;
  }
  const range = byteRange(request.headers.range, found.size);
  const [first, last] = range ?? [0, found.size - 1];
  response.writeHead(range ? 206 : 200, {
    'content-type': kTypes[extname(found.file)] ?? 'application/octet-stream',
    'content-length': last - first + 1,
    'accept-ranges': 'bytes',
    'cache-control': 'no-cache',
    ...(range && { 'content-range': `bytes ${first}-${last}/${found.size}` }),
    ...headers,
  });
  if (request.method === 'HEAD' || found.size === 0) response.end();
  else
    createReadStream(found.file, { start: first, end: last })
      .on('error', () => response.destroy())
      .pipe(response);
}

const kIsolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/**
 * @typedef {object} ServeOptions
 * @property {number} [port] 0 is any that is free
 * @property {boolean} [isolated] cross-origin isolation
 * @property {Record<string, string>} [headers] more of them, on every file
 * @property {string} [base] the path that the folder is served under, between slashes
 * @property {Record<string, string>} [also] other folders, by the paths below the first that they are served under: 'models/'
 */

/**
 * Serves a folder on localhost.
 * @param {string} folder
 * @param {ServeOptions} [options]
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export function serve(folder, { port = 0, isolated = false, headers = {}, base = '/', also = {} } = {}) {
  const how = { base, also, headers: { ...(isolated && kIsolation), ...headers } };
  const server = createServer((request, response) => {
    answer(resolve(folder), how, request, response).catch(() => response.destroy());
  });
  const close = () =>
    new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  return new Promise((listening, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () =>
      listening({ url: `http://localhost:${server.address().port}${base}`, close }),
    );
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const options = { port: { type: 'string', default: '8080' }, isolated: { type: 'boolean', default: false } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const { url } = await serve(positionals[0] ?? '.', { port: Number(values.port), isolated: values.isolated });
  console.log(url);
}

// A small static server for development, tests and `qkv serve`. It has the right media types and ranges, and compresses text. A
// browser asks each time whether its copy of a file is current. It only serves files of its folder, and only to requests whose Host
// is this machine, against DNS rebinding.

import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** @type {Record<string, string>} */
const kTypes = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

const kHosts = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a Host header names this machine or one of `hosts`. The port does not matter.
 * @param {string | undefined} host
 * @param {string[]} hosts
 */
function isExpected(host, hosts) {
  const name = /^([^:[\]]+|\[[\d:a-f.]+\])(?::\d+)?$/i.exec(host ?? '')?.[1].toLowerCase();
  return name !== undefined && [...kHosts, ...hosts].includes(name);
}

/**
 * The file of a request's path in `folder`, or null. Links must not lead out of the folder.
 * @param {string} folder
 * @param {string} path
 */
async function find(folder, path) {
  const wanted = normalize(join(folder, path.endsWith('/') ? `${path}index.html` : path));
  const [root, file] = await Promise.all([realpath(folder), realpath(wanted).catch(() => '')]);
  if (!wanted.startsWith(folder + sep) || !file.startsWith(root + sep)) return null;
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? { file, size: found.size, tag: tagOf(found) } : null;
}

/** What tells a file's content from what it was before. @param {import('node:fs').Stats} found */
const tagOf = ({ size, mtimeMs }) => `"${size.toString(36)}-${Math.round(mtimeMs * 1000).toString(36)}"`;

const kMostCompressed = 500; // files
/** Files of at most so many bytes are compressed: the others are models, which gain little. */
const kLargestCompressed = 4 << 20;

/** Compressed files by their places. @type {Map<string, {tag: string, bytes: Promise<Buffer>}>} */
const compressed = new Map();

/**
 * A file's bytes in gzip. They are kept, because a page asks for the same files again.
 * @param {{file: string, tag: string}} found
 */
function gzipped({ file, tag }) {
  const known = compressed.get(file);
  if (known?.tag === tag) return known.bytes;
  const bytes = readFile(file).then((content) => promisify(gzip)(content));
  compressed.delete(file);
  compressed.set(file, { tag, bytes });
  bytes.catch(() => compressed.delete(file));
  if (compressed.size > kMostCompressed) compressed.delete(/** @type {string} */ (compressed.keys().next().value));
  return bytes;
}

/** Whether a request's Accept-Encoding has gzip. @param {string | string[] | undefined} header */
const takesGzip = (header) => /(^|,)\s*gzip\s*(;\s*q=(1|0\.\d*[1-9])[^,]*)?(,|$)/i.test(String(header ?? ''));

/**
 * `bytes=a-b` as [first, last], within size; null if there is no such range.
 * @param {string | undefined} header
 * @param {number} size
 */
function byteRange(header, size) {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? '');
  if (!match) return null;
  const first = Number(match[1]);
  const last = Math.min(match[2] === '' ? size - 1 : Number(match[2]), size - 1);
  return first <= last ? [first, last] : null;
}

/**
 * The path of a request below `base`, which begins with '/'; null if it is outside.
 * @param {string} base
 * @param {string | undefined} url
 */
function pathBelow(base, url) {
  try {
    const path = decodeURIComponent(new URL(url ?? '', 'http://localhost').pathname);
    return path.startsWith(base) && !path.includes('\0') ? path.slice(base.length - 1) : null;
  } catch {
    return null;
  }
}

/**
 * The file of a path: in the folder of `also` with its prefix, otherwise in `folder`.
 * @param {string} folder
 * @param {Record<string, string>} also
 * @param {string} path
 */
async function findIn(folder, also, path) {
  const [start, other] = Object.entries(also).find(([prefix]) => path.startsWith(`/${prefix}`)) ?? ['', folder];
  return find(resolve(other), path.slice(start.length));
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {string} text */
function refuse(response, status, text) {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
}

/**
 * @param {string} folder
 * @param {Required<Pick<ServeOptions, 'base' | 'headers' | 'also' | 'hosts'>>} how
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(folder, { base, headers, also, hosts }, request, response) {
  // A page of another host must not read this server through the user's browser.
  if (!isExpected(request.headers.host, hosts)) {
    refuse(response, 421, 'This server answers to localhost, and to the names that --host gives it.');
    return;
  }
  const path = pathBelow(base, request.url);
  const found = path === null ? null : await findIn(folder, also, path);
  if (!found || !['GET', 'HEAD'].includes(request.method ?? '')) {
    if (found) refuse(response, 405, 'GET only');
    else refuse(response, 404, 'There is nothing here.');
    return;
  }
  await send(found, headers, request, response);
}

/**
 * @param {{file: string, size: number, tag: string}} found
 * @param {Record<string, string>} headers
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function send(found, headers, request, response) {
  const { file, size } = found;
  const asked = request.headers;
  const isText = extname(file) in kTypes && size <= kLargestCompressed;
  const isCompressed = isText && !asked.range && takesGzip(asked['accept-encoding']);
  const tag = isCompressed ? found.tag.replace(/"$/, '-gz"') : found.tag;
  const common = {
    'content-type': kTypes[extname(file)] ?? 'application/octet-stream',
    'cache-control': 'no-cache',
    etag: tag,
    ...(isText && { vary: 'accept-encoding' }),
    ...headers,
  };
  // The browser has the current file.
  if (hasTag(asked['if-none-match'], tag)) {
    response.writeHead(304, common).end();
    return;
  }
  // It takes the file compressed.
  if (isCompressed) {
    const bytes = await gzipped(found);
    response.writeHead(200, { ...common, 'content-encoding': 'gzip', 'content-length': bytes.length });
    response.end(request.method === 'HEAD' ? undefined : bytes);
    return;
  }
  // A range of bytes, or the whole file. Media and resumed downloads request ranges.
  const isSame = asked['if-range'] === undefined || asked['if-range'] === tag;
  const range = isSame ? byteRange(asked.range, size) : null;
  const [first, last] = range ?? [0, size - 1];
  response.writeHead(range ? 206 : 200, {
    ...common,
    'content-length': last - first + 1,
    'accept-ranges': 'bytes',
    ...(range && { 'content-range': `bytes ${first}-${last}/${size}` }),
  });
  if (request.method === 'HEAD' || size === 0) response.end();
  else
    createReadStream(file, { start: first, end: last })
      .on('error', () => response.destroy())
      .pipe(response);
}

/** Whether If-None-Match names a file's tag. @param {string | undefined} header @param {string} tag */
const hasTag = (header, tag) =>
  (header ?? '').split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')));

const kIsolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/**
 * @typedef {object} ServeOptions
 * @property {number} [port] 0: any free port
 * @property {boolean} [isolated] cross-origin isolation
 * @property {Record<string, string>} [headers] further headers of every file
 * @property {string} [base] the path that the folder is served under, between slashes
 * @property {string} [address] the address that it listens on; 127.0.0.1: only this machine
 * @property {string[]} [hosts] other names of this host, besides localhost
 * @property {Record<string, string>} [also] other folders, each by its path on the server, such as 'models/'
 */

/** The host of a URL for an address. For all addresses of this machine it is localhost. @param {string} address */
function urlHost(address) {
  if (['127.0.0.1', '0.0.0.0', '::', '::1'].includes(address)) return 'localhost';
  return address.includes(':') ? `[${address}]` : address;
}

/**
 * Serves a folder, by default on localhost.
 * @param {string} folder
 * @param {ServeOptions} [options]
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export function serve(folder, options = {}) {
  const {
    port = 0,
    isolated = false,
    headers = {},
    base = '/',
    also = {},
    hosts = [],
    address = '127.0.0.1',
  } = options;
  // The server, and the function that ends it with all its connections.
  const how = {
    base,
    also,
    hosts: hosts.map((name) => name.toLowerCase()),
    headers: { ...(isolated && kIsolation), ...headers },
  };
  const server = createServer((request, response) => {
    answer(resolve(folder), how, request, response).catch(() => response.destroy());
  });
  /** @returns {Promise<void>} */
  const close = () =>
    new Promise((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  // Wait until it listens; then the port is known.
  return new Promise((listening, reject) => {
    server.on('error', reject);
    server.listen(port, address, () => {
      const { port: taken } = /** @type {import('node:net').AddressInfo} */ (server.address());
      listening({ url: `http://${urlHost(address)}:${taken}${base}`, close });
    });
  });
}

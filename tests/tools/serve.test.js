// The development server: which files it serves, and which it refuses.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../../web/tools/serve.mjs';

let folder;
let server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-serve-'));
  writeFileSync(join(folder, 'index.html'), '<p>here</p>');
  writeFileSync(join(folder, 'a.wasm'), '0123456789');
  writeFileSync(join(folder, 'empty.js'), '');
  server = await serve(folder, { isolated: true });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const get = (path, headers = {}) => fetch(server.url + path, { headers });

/** The status of a request whose path is sent unchanged: fetch() would normalise the path and set its own Host. */
const statusOf = (path, headers = {}, { url } = server) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    request({ hostname, port, path, headers }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });

test('a folder is its index.html', async () => {
  const response = await get('');
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await response.text()).toBe('<p>here</p>');
});

test('WebAssembly has its media type, pages are isolated when asked', async () => {
  const response = await get('a.wasm');
  expect(response.headers.get('content-type')).toBe('application/wasm');
  expect(response.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
});

test('a folder can be served below another path, with headers of its own', async () => {
  const below = await serve(folder, { base: '/some/where/', headers: { 'x-more': 'yes' } });
  expect(new URL(below.url).pathname).toBe('/some/where/');
  const inside = await fetch(`${below.url}a.wasm`);
  expect([inside.status, inside.headers.get('x-more'), await inside.text()]).toEqual([200, 'yes', '0123456789']);
  for (const outside of ['/', '/a.wasm', '/some/', '/some/where', '/some/wherea.wasm', '/some/where/../../a.wasm']) {
    expect((await fetch(new URL(outside, below.url))).status).toBe(404);
  }
  await below.close();
});

test.each([
  ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
  ['bytes=8-', 206, '89', 'bytes 8-9/10'],
  ['bytes=8-100', 206, '89', 'bytes 8-9/10'],
  ['bytes=10-11', 200, '0123456789', null],
  ['nonsense', 200, '0123456789', null],
])('a request for the range %s is answered', async (range, status, body, contentRange) => {
  const response = await get('a.wasm', { range });
  expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([
    status,
    body,
    contentRange,
  ]);
});

test('a file that the browser has is not sent again, unless it has changed', async () => {
  const path = join(folder, 'b.bin');
  writeFileSync(path, 'before');
  const tag = (await get('b.bin')).headers.get('etag');
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const again = await get('b.bin', { 'if-none-match': known });
    expect([known, again.status, await again.text(), again.headers.get('etag')]).toEqual([known, 304, '', tag]);
  }
  writeFileSync(path, 'after it');
  const changed = await get('b.bin', { 'if-none-match': tag });
  expect([changed.status, await changed.text()]).toEqual([200, 'after it']);
});

test('the rest of a file is sent only while it is the same file', async () => {
  const tag = (await get('a.wasm', { 'accept-encoding': 'identity' })).headers.get('etag');
  for (const [known, status] of [
    [tag, 206],
    ['"other"', 200],
  ]) {
    const rest = await get('a.wasm', { range: 'bytes=8-', 'if-range': known });
    expect([known, rest.status, await rest.text()]).toEqual([known, status, status === 206 ? '89' : '0123456789']);
  }
});

test('text and WebAssembly are compressed for those who take it, models are not', async () => {
  const text = 'function same() {}\n'.repeat(200);
  writeFileSync(join(folder, 'long.js'), text);
  writeFileSync(join(folder, 'model.safetensors'), text);
  const packed = await get('long.js', { 'accept-encoding': 'br, gzip' });
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(Number(packed.headers.get('content-length'))).toBeLessThan(200);
  expect(packed.headers.get('vary')).toBe('accept-encoding');
  expect(await packed.text()).toBe(text);
  for (const encodings of ['identity', 'br', 'gzip;q=0', 'xgzip']) {
    const plain = await get('long.js', { 'accept-encoding': encodings });
    expect([encodings, plain.headers.get('content-encoding'), await plain.text()]).toEqual([encodings, null, text]);
    expect(plain.headers.get('etag')).not.toBe(packed.headers.get('etag'));
  }
  expect((await get('model.safetensors')).headers.get('content-encoding')).toBe(null);
  const empty = await get('empty.js', { 'accept-encoding': 'gzip' });
  expect([empty.status, await empty.text()]).toEqual([200, '']);
  const changed = text.replaceAll('same', 'other');
  writeFileSync(join(folder, 'long.js'), changed);
  expect(await (await get('long.js')).text()).toBe(changed);
});

test('an empty file is empty', async () => {
  expect(await (await get('empty.js')).text()).toBe('');
});

test.each(['/../secret', '/%2e%2e/secret', '/..%2fsecret', '/%00', '/%', '/nothing', '//'])(
  '%s is not there',
  async (path) => expect(await statusOf(path)).toBe(404),
);

test('a symbolic link leads to another place in the folder, and not out of it', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'qkv-outside-'));
  try {
    writeFileSync(join(outside, 'secret'), 'secret');
    mkdirSync(join(folder, 'inner'));
    symlinkSync(join(folder, 'a.wasm'), join(folder, 'inner', 'here'));
    symlinkSync(join(outside, 'secret'), join(folder, 'secret'));
    symlinkSync(outside, join(folder, 'away'));
    symlinkSync(join(folder, 'no-such-file'), join(folder, 'broken'));
    expect(await (await get('inner/here')).text()).toBe('0123456789');
    for (const path of ['/secret', '/away/secret', '/broken']) expect(await statusOf(path)).toBe(404);
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test('a folder that is itself a link is served', async () => {
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  const linked = await serve(link);
  try {
    expect(await (await fetch(`${linked.url}a.wasm`)).text()).toBe('0123456789');
  } finally {
    await linked.close();
    rmSync(link);
  }
});

test('it answers to the names of this machine, and to other names only if configured', async () => {
  const { port } = new URL(server.url);
  for (const host of ['localhost', `localhost:${port}`, 'LOCALHOST', '127.0.0.1:1', '[::1]:8080']) {
    expect([host, await statusOf('/', { host })]).toEqual([host, 200]);
  }
  const strangers = ['evil.example', `evil.example:${port}`, 'localhost.evil.example', 'localhost:80:80', '[::2]'];
  for (const host of strangers) expect([host, await statusOf('/', { host })]).toEqual([host, 421]);
  const named = await serve(folder, { hosts: ['Box.Example'] });
  try {
    expect(await statusOf('/', { host: 'box.example:443' }, named)).toBe(200);
    expect(await statusOf('/', { host: 'evil.example' }, named)).toBe(421);
  } finally {
    await named.close();
  }
});

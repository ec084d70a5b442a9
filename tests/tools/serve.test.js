// The development server: what it serves, and what it does not.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
])('range %s', async (range, status, body, contentRange) => {
  const response = await get('a.wasm', { range });
  expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([
    status,
    body,
    contentRange,
  ]);
});

test('an empty file is empty', async () => {
  expect(await (await get('empty.js')).text()).toBe('');
});

// fetch() would tidy these paths up before it sends them.
test.each(['/../secret', '/%2e%2e/secret', '/..%2fsecret', '/%00', '/%', '/nothing', '//'])(
  '%s is not there',
  async (path) => {
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      request({ hostname, port, path }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(404);
  },
);

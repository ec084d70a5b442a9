// `qkv serve`: the pages of the package qkv-demo, in a Chromium, and what may go wrong.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { at } from '../../web/tools/common.mjs';
import { freePort } from '../servers.js';
import { launchOptions, translate } from '../web/chromium.js';

const command = at('build/qkv-cli/qkv.js');
const kMinutes = 60_000;

/** As after `npm install qkv-cli qkv-demo`. */
let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-demo-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(at('build/site'), join(folder, 'node_modules', 'qkv-demo'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const children = [];
afterEach(() => children.splice(0).forEach((child) => child.kill()));
/** Starts it; the URL that it prints. */
function start(...args) {
  const child = spawn(process.execPath, [command, 'serve', ...args], { cwd: folder });
  children.push(child);
  return new Promise((resolve, reject) => {
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += data));
    child.stdout.on('data', () => resolve(/http:\S+/.exec(printed)?.[0] ?? printed));
    child.on('exit', () => reject(new Error(printed)));
  });
}
const fails = (args, cwd = folder) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'serve', ...args], {
    cwd,
    encoding: 'utf8',
  });
  return [status, stdout, stderr];
};

test(
  'the page translates without requests to other hosts',
  async () => {
    const url = await start();
    const browser = await chromium.launch(launchOptions);
    try {
      const page = await browser.newPage();
      const elsewhere = [];
      page.on('request', (request) => request.url().startsWith(url) || elsewhere.push(request.url()));
      await page.goto(url);
      expect(await translate(page, 'I love you.')).toBe("Je t'aime.");
      expect(elsewhere.filter((one) => !/^(blob|data):/.test(one))).toEqual([]);
    } finally {
      await browser.close();
    }
  },
  2 * kMinutes,
);

test('all pages, the documents and the models are there', async () => {
  const port = String(await freePort());
  const url = await start('--port', port);
  expect(url).toBe(`http://localhost:${port}/`);
  const paths = [
    '',
    'attention.html',
    'understand.html',
    'generate.html',
    'models.html',
    'lab.html',
    'docs/command.html',
  ];
  const models = ['en-fr', 'en-de', 'en-es', 'fr-en', 'de-en', 'es-en', 'english/masked'].map(
    (name) => `models/${name}/config.json`,
  );
  for (const path of [...paths, ...models]) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
});

test('a port in use is an error if it was given; otherwise another port is chosen', async () => {
  const holder = createServer()
    .listen(8080, '127.0.0.1')
    .on('error', () => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(fails(['--port', '8080'])).toEqual([1, '', 'qkv: port 8080 is taken: give another one by --port\n']);
  expect(await start()).toMatch(/^http:\/\/localhost:(?!8080)\d+\/$/);
  holder.close();
});

test('--host listens at another address, which a Host header may name', async () => {
  const port = String(await freePort());
  const url = await start('--host', '0.0.0.0', '--port', port);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  expect((await fetch(url)).status).toBe(200);
  expect(fails(['--host', '192.0.2.1'])).toEqual([1, '', 'qkv: 192.0.2.1 is no address of this machine\n']);
});

test('a missing or misspelt option is reported', () => {
  expect(fails([], tmpdir())).toEqual([1, '', 'qkv: the pages are a package of their own: npm install qkv-demo\n']);
  expect(fails(['--port', '70000'])).toEqual([2, '', expect.stringMatching(/^qkv: --port: .* range/)]);
  expect(fails(['--prot', '1'])).toEqual([2, '', expect.stringMatching(/--prot/)]);
  expect(spawnSync(process.execPath, [command, '--help'], { encoding: 'utf8' }).stdout).toMatch(/^ {2}serve +Show/m);
});

// Downloads in a browser: what it keeps for the next visit, and its message when a file did not arrive.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { errorTable } from '../error-table.js';
import { tinyFolder } from '../lib/support.js';
import { listen } from '../servers.js';
import { built, launchOptions } from './chromium.js';

const kTypes = { '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };
const kPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/**
 * The package under /, a model under /model/, an empty page under /page.html. `answer(path, response)` may answer
 * instead of the server; `headers(path)` are added.
 */
async function serveAll({ answer = () => false, headers = () => ({}) } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    requests.push(path);
    for (const [name, value] of Object.entries(headers(path))) response.setHeader(name, value);
    if (answer(path, response)) return;
    if (path === '/favicon.ico') return response.writeHead(204).end();
    if (path === '/page.html')
      return response.setHeader('content-type', 'text/html').end('<!doctype html><title>A</title>');
    try {
      const file = path.startsWith('/model/') ? join(tinyFolder, path.slice(7)) : join(built.package, path);
      const body = readFileSync(file);
      response.writeHead(200, { 'content-type': kTypes[extname(path)] ?? 'application/octet-stream' });
      response.write(body); // in chunks, without a length
      setTimeout(() => response.end(), 50); // the end of the body comes after its last byte, as it often does
    } catch {
      response.writeHead(404).end();
    }
  });
  const { port, close } = await listen(server);
  return { url: `http://localhost:${port}/`, requests, close };
}

/** Runs in the page: loads a model and translates, or returns the reason why not. */
async function use([model, options]) {
  const { Translator } = await import('/index.js');
  try {
    const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
    const translator = await Translator.create({ ...pair, model, ...options });
    const text = await translator.translate('Hello there.');
    translator.destroy();
    return { text };
  } catch (error) {
    return { name: error.name, code: error.cause?.code ?? error.code, message: error.message };
  }
}

let browser;
const servers = [];
const serving = async (options) => {
  const server = await serveAll(options);
  servers.push(server);
  return server;
};
/** A page of `server`, with the errors on its console. */
async function pageOf(server, context) {
  const page = await (context ?? (await browser.newContext())).newPage();
  const complaints = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${server.url}page.html`);
  return Object.assign(page, { complaints });
}

beforeAll(async () => {
  browser = await chromium.launch(launchOptions);
});
afterAll(() => browser?.close());
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

test.each([true, false])('the second visit downloads nothing that may be kept, worker: %s', async (worker) => {
  const kept = { 'cache-control': 'public, max-age=31536000, immutable' };
  const server = await serving({ headers: (path) => (path === '/page.html' ? {} : kept) });
  const profile = mkdtempSync(join(tmpdir(), 'qkv-profile-'));
  const visit = async () => {
    const context = await chromium.launchPersistentContext(profile, launchOptions);
    const page = await pageOf(server, context);
    const result = await page.evaluate(use, ['/model/', { worker }]);
    await new Promise((resolve) => setTimeout(resolve, 500)); // a cache writes at its own time
    await context.close();
    return result;
  };
  const first = await visit();
  expect(first).toEqual({ text: expect.any(String) });
  expect(server.requests).toContain('/model/model.safetensors');
  server.requests.length = 0;
  expect(await visit()).toEqual(first);
  const isExpected = (path) => ['/page.html', '/favicon.ico'].includes(path) || /shortlist|target\.spm/.test(path);
  expect(server.requests.filter((path) => !isExpected(path))).toEqual([]); // a missing file is requested again
  rmSync(profile, { recursive: true, force: true });
});

test('a model on another origin loads where it has CORS, also without it for what is not there', async () => {
  const cors = { 'access-control-allow-origin': '*' };
  const isThere = (path) => /config\.json|vocab\.json|source\.spm|safetensors/.test(path);
  const other = await serving({ headers: (path) => (isThere(path) ? cors : {}) });
  const page = await pageOf(await serving());
  expect(await page.evaluate(use, [`${other.url}model/`, {}])).toEqual({ text: expect.any(String) });
});

test('a model on another origin loads in a page that is cross-origin isolated, by CORS alone', async () => {
  const isolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
  const other = await serving({ headers: () => ({ 'access-control-allow-origin': '*' }) });
  const page = await pageOf(await serving({ headers: () => isolation }));
  expect(await page.evaluate(() => globalThis.crossOriginIsolated)).toBe(true);
  expect(await page.evaluate(use, [`${other.url}model/`, {}])).toEqual({ text: expect.any(String) });
});

describe('the error says that', () => {
  const rows = errorTable('Causes in browsers');
  const found = new Set();
  /** Expects an error as web/docs/errors.md has it. @param {string} says a part of its message, as in the table */
  const expectRow = (error, says) => {
    found.add(says);
    expect(error).toEqual({ ...rows.get(says), message: expect.stringContaining(says) });
  };
  afterAll(() => expect([...found].toSorted()).toEqual([...rows.keys()].toSorted())); // each row has its test

  test('the other origin answers without CORS', async () => {
    const other = await serving();
    const page = await pageOf(await serving());
    const error = await page.evaluate(use, [`${other.url}model/`, {}]);
    expectRow(error, 'it must send Access-Control-Allow-Origin');
    expect(error.message).toMatch(/answers, and does not let pages of /);
  });

  test('the other origin does not answer', async () => {
    const page = await pageOf(await serving());
    const error = await page.evaluate(use, ['http://localhost:1/model/', {}]);
    expectRow(error, 'it must send Access-Control-Allow-Origin');
    expect(error.message).toMatch('http://localhost:1 does not answer, or');
  });

  test("the page's own server does not answer", async () => {
    const page = await pageOf(await serving());
    await page.route('**/model/**', (route) => route.abort());
    expectRow(await page.evaluate(use, ['/model/', { worker: false }]), 'the server does not answer');
  });

  test.each([true, false])('this device is offline, worker: %s', async (worker) => {
    const server = await serving();
    const context = await browser.newContext();
    const page = await pageOf(server, context);
    // The engine and the scripts are there before the connection is lost.
    await page.evaluate(async (isInWorker) => {
      const { Translator } = await import('/index.js');
      const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
      globalThis.kept = await Translator.create({ ...pair, model: '/model/', worker: isInWorker });
    }, worker);
    await context.setOffline(true);
    const error = await page.evaluate(use, [`${server.url}another/`, { worker }]);
    expectRow(error, 'this device is offline');
  });

  test.each([true, false])('the policy allows no such origin, worker: %s', async (worker) => {
    const other = await serving({ headers: () => ({ 'access-control-allow-origin': '*' }) });
    const page = await pageOf(await serving({ headers: () => ({ 'content-security-policy': kPolicy }) }));
    const error = await page.evaluate(use, [`${other.url}model/`, { worker }]);
    expectRow(error, 'Content-Security-Policy does not allow it');
  });

  test.each([true, false])("the policy lacks 'wasm-unsafe-eval', worker: %s", async (worker) => {
    const policy = kPolicy.replace(" 'wasm-unsafe-eval'", '');
    const page = await pageOf(await serving({ headers: () => ({ 'content-security-policy': policy }) }));
    for (const wasm of [undefined, 'baseline', 'relaxed']) {
      const error = await page.evaluate(use, ['/model/', { worker, ...(wasm && { wasm }) }]);
      expectRow(error, 'the Content-Security-Policy forbids WebAssembly');
    }
  });

  test('a script that is loaded when it is needed is not there, and the next creation loads it', async () => {
    const page = await pageOf(await serving());
    await page.route('**/handlers-*.js', (route) => route.abort());
    const seen = await page.evaluate(use, ['/model/', { worker: false }]);
    expectRow(seen, 'a script of the package could not be loaded');
    const cause = await page.evaluate(async () => {
      const { attention } = await import('/attention.js');
      const { Translator } = await import('/index.js');
      const pair = { sourceLanguage: 'en', targetLanguage: 'fr', model: '/model/', worker: false };
      const error = await Translator.create(pair).catch((failed) => failed);
      return [error.cause.name, error.cause.cause.name, (await attention({ query: [[1]], key: [[1]] })).weights.shape];
    });
    expect(cause).toEqual(['QkvError', 'TypeError', [1, 1]]);
    await page.unroute('**/handlers-*.js');
    expect(await page.evaluate(use, ['/model/', { worker: false }])).toEqual({ text: expect.any(String) });
  });

  test('an isolated page needs the header on the script of its worker too', async () => {
    const isolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
    const page = await pageOf(await serving({ headers: (path) => (path === '/page.html' ? isolation : {}) }));
    const error = await page.evaluate(use, ['/model/', {}]);
    expectRow(error, 'the worker stopped or could not start');
    expect(error.message).toMatch(/Cross-Origin-Embedder-Policy/);
  });

  test('a page came instead of the file', async () => {
    const spa = (path, response) =>
      /\/model\/|\/elsewhere\//.test(path) && !!response.setHeader('content-type', 'text/html').end('<!doctype html>');
    const page = await pageOf(await serving({ answer: spa }));
    const error = await page.evaluate(use, ['/elsewhere/', {}]);
    expect(error).toMatchObject({ code: 'INVALID_FILE', message: expect.stringMatching(/HTML page/) });
    expect(page.complaints).toEqual([]);
  });
});

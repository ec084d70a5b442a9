// The memory of a page while it loads a model as large as Firefox's smallest ones: WebAssembly's memory, which never
// shrinks, and JavaScript's heap and buffers, sampled all the time.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built, openBrowser } from './chromium.js';

const kMost = 60e6;
const kFile = 17e6; // of the weights, at least

let browser;
let folder;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  // It runs in its own process: in Jest so many random numbers take minutes.
  execFileSync(process.execPath, ['tests/bench/models/firefox-files.mjs', folder], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  expect(statSync(join(folder, 'model.enfr.intgemm.alphas.bin')).size).toBeGreaterThan(kFile);
  browser = await openBrowser(built.package, { also: { 'enfr/': folder } });
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Records the memories of all WebAssembly that the page instantiates. */
function noteMemories() {
  const memories = new Set();
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (source, imports = {}) => {
    const result = await instantiate(source, imports);
    const { exports } = result.instance ?? result;
    for (const each of Object.values(exports)) if (each instanceof WebAssembly.Memory) memories.add(each);
    return result;
  };
  globalThis.wasmBytes = () => [...memories].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}

test.each([
  ['and keeps it', true],
  ['without a store', false],
])('a page holds less than 60 MB at any time while it loads a tiny model %s, and translates', async (_, store) => {
  const page = await browser.open('page.html', {}, async (opened) => {
    await opened.addInitScript(noteMemories);
    await opened.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  });
  const session = await page.context().newCDPSession(page);
  let largest = 0;
  let looks = 0;
  let isDone = false;
  const look = async () => {
    const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
    largest = Math.max(largest, usedSize + backingStorageSize);
    looks++;
  };
  const looking = (async () => {
    while (!isDone) await look();
  })();
  const measured = page.evaluate(async (isKept) => {
    const { Translator } = await import('/index.js');
    const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
    const choices = { ...languages, worker: false, wasm: 'baseline', store: isKept };
    const translator = await Translator.create({ ...choices, model: '/enfr/' });
    await translator.translate('Hello.', { copy: false });
    return globalThis.wasmBytes();
  }, store);
  const wasm = await measured.finally(() => (isDone = true));
  await looking;
  expect(looks).toBeGreaterThan(5);
  expect(wasm).toBeGreaterThan(kFile);
  expect(wasm + largest).toBeLessThan(kMost);
});

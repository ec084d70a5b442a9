// The library in Node's main thread and in worker threads: everything works, and the process ends by itself.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { kSure } from '../translations.js';
import { at } from './support.js';

const kText = JSON.stringify(kSure.text);
const kIndex = JSON.stringify(pathToFileURL(at('web/lib/index.js')).href);

// Prints a result of each of the library's calls. The output is the same in every thread.
const kUse = `
import { Translator } from ${kIndex};
export async function use(worker, say) {
  const pair = { sourceLanguage: 'en', targetLanguage: 'fr', worker };
  const translator = await Translator.create(pair);
  say('worker ' + translator.info.worker);
  say(await translator.translate(${kText}));
  const { cross, source, target } = await translator.trace(${kText});
  say(cross.data.length === cross.shape.reduce((a, b) => a * b) && cross.shape[2] === target.pieces.length
    && cross.shape[3] === source.pieces.length);
  const controller = new AbortController();
  const long = translator.translate('We went home and then we ate. '.repeat(50), { signal: controller.signal });
  setTimeout(() => controller.abort('enough'), 20);
  say(await long.catch((reason) => reason));
  say(await translator.translate(${kText}));
  const running = translator.translate('We went home and then we ate. '.repeat(50));
  translator.destroy();
  say(await running.catch((error) => error.name));
  say(await translator.translate(${kText}).catch((error) => error.name));
}`;
const expectedOutput = (worker) =>
  [`worker ${worker}`, kSure.translation, true, 'enough', kSure.translation, 'AbortError', 'AbortError'].join('\n');

// In the main thread, or in a Worker that the main thread starts and waits for. Neither calls exit.
const kMain = `
import { use } from './use.mjs';
await use(process.argv[2] === 'true', (line) => console.log(String(line)));`;
const kWorker = `
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { use } from './use.mjs';
if (isMainThread) {
  const thread = new Worker(new URL(import.meta.url), { workerData: process.argv[2] === 'true' });
  thread.on('message', (line) => console.log(line));
  thread.on('exit', (code) => (process.exitCode = code));
} else {
  await use(workerData, (line) => parentPort.postMessage(String(line)));
}`;

let folder;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-hosts-'));
  writeFileSync(join(folder, 'use.mjs'), kUse);
  writeFileSync(join(folder, 'main.mjs'), kMain);
  writeFileSync(join(folder, 'worker.mjs'), kWorker);
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = (script, worker, flags = []) =>
  new Promise((resolve) => {
    const options = { timeout: 50_000 }; // a process that does not end is killed, and its exit code shows it
    execFile(process.execPath, [...flags, join(folder, script), String(worker)], options, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout: stdout.trim(), stderr }),
    );
  });

describe.each([
  ['the main thread', 'main.mjs'],
  ['a worker thread', 'worker.mjs'],
])('%s', (_, script) => {
  test.each([
    ['engine in the same thread', false],
    ['engine in a thread of its own', true],
  ])('%s: translate, trace, abort, destroy, and the process ends', async (__, worker) => {
    expect(await run(script, worker)).toEqual({ code: 0, stderr: '', stdout: expectedOutput(worker) });
  });
});

test('flags of V8 and of Node do not keep an engine from its thread', async () => {
  for (const flags of [['--expose-gc'], ['--max-old-space-size=512', '--no-warnings']]) {
    expect(await run('main.mjs', true, flags)).toEqual({ code: 0, stderr: '', stdout: expectedOutput(true) });
  }
});

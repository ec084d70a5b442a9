// What happens to calls when a worker dies, in Node, where a test can end its threads in every possible way.

import { jest } from '@jest/globals';
import threads from 'node:worker_threads';
import { Translator } from '../../web/lib/index.js';
// the build, because only there the worker files are beside the scripts
import { Generator } from '../../dist/models.js';
import { Trainer } from '../../dist/train.js';
import { watch } from '../../web/lib/worker/liveness.js';
import { kSure } from '../translations.js';
import { at, create, rejection, tinyFolder } from './support.js';

const kPair = { sourceLanguage: 'en', targetLanguage: 'fr' };
const kLong = 'We went home and then we ate. '.repeat(300);
/** Milliseconds within which a promise must settle after its worker's death. */
const kSoon = 1000;

// Each worker obeys a message on a port of the tests that ends it from within.
const kObey = `import { workerData } from 'node:worker_threads';
  workerData.on('message', (how) => {
    if (how === 'exit') process.exit(3);
    if (how === 'throw') throw new Error('ended by a test');
    if (how === 'memory') for (const all = []; ; ) all.push(new Array(100_000).fill(all.length));
  }).unref();`;
const { Worker } = threads;
const started = [];
class MortalWorker extends Worker {
  constructor(file, options) {
    const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(kObey)}`];
    const { port1, port2 } = new threads.MessageChannel();
    const tests = { workerData: port2, transferList: [port2], resourceLimits: { maxOldGenerationSizeMb: 64 } };
    super(file, { ...options, execArgv, ...tests });
    this.obeys = port1;
    port1.unref();
    started.push(this);
  }
}
beforeAll(() => (threads.Worker = MortalWorker));
afterEach(() => Promise.all(started.splice(0).map((worker) => worker.terminate()))); // also after a test has failed
afterAll(() => (threads.Worker = Worker));

const ends = ['exit', 'throw', 'memory', 'terminate'];
const end = (worker, how) => (how === 'terminate' ? worker.terminate() : worker.obeys.postMessage(how));
const gone = (worker) => new Promise((resolve) => worker.once('exit', resolve));
const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test.each(ends)('a call that is running rejects when its worker ends by %s, and the next one works', async (how) => {
  const translator = await create({ worker: true });
  const running = [translator.translate(kLong), translator.trace(kLong.slice(0, 3000))].map(rejection);
  await later(50);
  const worker = started.at(-1);
  const ended = gone(worker);
  end(worker, how);
  await ended;
  const begin = performance.now();
  for (const error of await Promise.all(running)) expect(error).toMatchObject({ code: 'ENGINE_FAILED' });
  expect(performance.now() - begin).toBeLessThan(kSoon);

  expect(await Translator.availability(kPair)).toBe('downloadable'); // the dead engine is in no list
  const all = [translator.translate(kSure.text), translator.translate(kSure.text)];
  expect(await Promise.all(all)).toEqual([kSure.translation, kSure.translation]);
  expect(await Translator.availability(kPair)).toBe('available');
  translator.destroy();
  expect(await Translator.availability(kPair)).toBe('downloadable');
});

test.each(ends)('an idle worker that ends by %s is missed by nobody', async (how) => {
  const [first, second] = [await create({ worker: true }), await create({ worker: true })];
  const count = started.length;
  const ended = gone(started.at(-1));
  end(started.at(-1), how);
  await ended;
  const third = await create({ worker: true });
  for (const translator of [first, second, third]) {
    expect(await translator.translate(kSure.text)).toBe(kSure.translation);
  }
  expect(started.length).toBe(count + 1); // all three share the new engine
  for (const translator of [first, second, third]) translator.destroy();
});

test.each(ends)('a creation rejects when its worker ends by %s', async (how) => {
  const creating = rejection(create({ worker: true }));
  const ended = gone(started.at(-1));
  started.at(-1).once('online', () => end(started.at(-1), how));
  await ended;
  const begin = performance.now();
  expect(await creating).toMatchObject({ code: 'ENGINE_FAILED' });
  expect(performance.now() - begin).toBeLessThan(kSoon);
});

test("after the worker's end a model from bytes must be given again; a model from a URL is loaded again", async () => {
  const { readFile, readdir } = await import('node:fs/promises');
  const names = (await readdir(tinyFolder)).filter((name) => /\.(json|spm|safetensors)$/.test(name));
  const files = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(`${tinyFolder}/${name}`)])),
  );
  const translator = await create({ worker: true, model: { files } });
  await started.at(-1).terminate();
  expect(await rejection(translator.translate('Hello.'))).toMatchObject({ code: 'ENGINE_FAILED' });
  translator.destroy();

  const generator = await Generator.load(at('tests/goldens/one-sided/gpt2'), { worker: true });
  const { text } = await generator.generate('The cat', { maxLength: 4 });
  await started.at(-1).terminate();
  expect((await generator.generate('The cat', { maxLength: 4 })).text).toBe(text);
  generator.destroy();
});

test('workers that share a text are started again for the next text', async () => {
  const pool = await create({ worker: true, workers: 3 });
  const text = 'How are you? It rains. '.repeat(60);
  const translated = await pool.translate(text);
  for (const worker of started.slice(-2)) await worker.terminate();
  expect(await pool.translate(text)).toBe(translated);
  pool.destroy();
});

test("a trainer's running and later calls reject", async () => {
  const trainer = await Trainer.create({ pairs: [['a b', 'b a']], worker: true });
  const running = rejection(trainer.run());
  await later(50);
  await started.at(-1).terminate();
  expect(await running).toMatchObject({ code: 'ENGINE_FAILED' });
  expect(await rejection(trainer.checkpoint())).toMatchObject({ code: 'ENGINE_FAILED' });
  trainer.destroy();
});

describe('a worker without a lock', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const watched = (more) => {
    const life = new AbortController();
    const calls = { pings: 0, deaths: 0 };
    const heard = watch({
      hold: async () => false,
      ping: () => calls.pings++,
      isAsked: () => true,
      died: () => (calls.deaths++, life.abort()),
      ended: life.signal,
      ...more,
    });
    return { calls, heard };
  };

  test('counts as dead after ten seconds without an answer, or a minute without a first answer', async () => {
    const { calls, heard } = watched();
    await jest.advanceTimersByTimeAsync(59_000);
    expect(calls).toEqual({ pings: 59, deaths: 0 });
    heard();
    await jest.advanceTimersByTimeAsync(9_000);
    heard();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(calls.deaths).toBe(0);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(calls.deaths).toBe(1);

    const mute = watched();
    await jest.advanceTimersByTimeAsync(62_000);
    expect(mute.calls.deaths).toBe(1);
  });

  test('gets no message while nobody waits for it', async () => {
    const { calls } = watched({ isAsked: () => false });
    await jest.advanceTimersByTimeAsync(600_000);
    expect(calls).toEqual({ pings: 0, deaths: 0 });
  });
});

// qkv train: a run that is killed at random moments gives the same result as an uninterrupted one.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tinyModel, tinyPairs } from './tiny-run.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(root, 'build/native/qkv');
const vocabulary = join(root, 'tests/goldens/models/tiny-f32');
// As many as time allows; `npm run test:full` kills 20.
const kKills = Number(process.env.QKV_KILLS ?? 4);
const kSteps = 400;

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  writeFileSync(join(folder, 'pairs.tsv'), tinyPairs);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a run's config. The config's name is its folder's name. */
function config(name, changes = {}) {
  const run = {
    out: name,
    vocabulary,
    corpora: [{ path: 'pairs.tsv' }],
    dev: 'pairs.tsv',
    preset: 'tiny',
    model: tinyModel,
    batch: { tokens: 200, longest: 64 },
    schedule: { peak: 0.005, warmup: 20 },
    steps: kSteps,
    average: { from: 0.5, every: 3 },
    measure: { every: 50 },
    checkpoint: { every: 10 },
    log: { every: 5 },
    ...changes,
  };
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(run));
  return file;
}
const train = (file, ...more) => spawnSync(command, ['train', file, '--threads', '1', ...more], { encoding: 'utf8' });
const model = (name) => readFileSync(join(folder, name, 'model', 'model.safetensors'));
const log = (name) =>
  readFileSync(join(folder, name, 'log.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

let whole;
let seconds;
beforeAll(() => {
  const start = performance.now();
  whole = train(config('whole'));
  seconds = (performance.now() - start) / 1000;
}, 120_000);

test('learns, reports it, and writes a model, a log and curves', () => {
  expect([whole.status, whole.stdout]).toEqual([
    0,
    expect.stringMatching(/trained for 400 steps, best at step \d+\n$/),
  ]);
  expect(whole.stderr).toMatch(/step 400 of 400, loss [\d.]+, \d+ tokens\/s, 0:00 h left/);
  const measured = log('whole').filter(({ kind }) => kind === 'measure');
  expect(measured.map(({ step }) => step)).toEqual([50, 100, 150, 200, 250, 300, 350, 400]);
  expect(measured.at(-1).loss).toBeLessThan(measured[0].loss / 3);
  expect(readFileSync(join(folder, 'whole', 'curves.html'), 'utf8')).toMatch(/<svg[\s\S]*Loss on held-out pairs/);
  const input = 'a b\ng c\n';
  const translated = spawnSync(command, ['translate', '--no-copy', '-m', join(folder, 'whole', 'model')], {
    input,
    encoding: 'utf8',
  });
  expect([translated.stdout, translated.stderr]).toEqual(['b a\nc g\n', '']);
});

test(`killed ${kKills} times at random moments, it ends with the same bits`, async () => {
  for (let kill = 0; kill < kKills; kill++) {
    const file = config(`killed-${kill}`);
    const child = spawn(command, ['train', file, '--threads', '1', '--resume'], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await sleep(Math.random() * seconds * 1000);
    child.kill('SIGKILL');
    await ended;
    const { status, stderr } = train(file, '--resume');
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    expect(model(`killed-${kill}`).equals(model('whole'))).toBe(true);
    // The log has every step once.
    const steps = log(`killed-${kill}`).filter(({ kind }) => kind === 'step');
    expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: kSteps / 5 }, (_, i) => 5 * (i + 1)));
    expect(readdirSync(join(folder, `killed-${kill}`)).filter((name) => name.startsWith('checkpoint'))).toEqual([
      `checkpoint-${kSteps}`,
    ]);
  }
}, 300_000);

test('measures by BLEU if the config says so, and ends when nothing improves', () => {
  const measure = { every: 20, by: 'bleu', patience: 3 };
  const { status, stdout, stderr } = train(config('bleu', { measure, steps: 4000 }));
  expect([status, stdout]).toEqual([0, expect.stringMatching(/trained for \d+ steps, best at step \d+\n$/)]);
  expect(Number(/trained for (\d+)/.exec(stdout)[1])).toBeLessThan(4000);
  expect(stderr).toMatch(/held-out loss [\d.]+, perplexity [\d.]+, BLEU [\d.]+/);
  const found = log('bleu').filter(({ kind }) => kind === 'measure');
  const best = Math.max(...found.map(({ bleu }) => bleu));
  expect(found.find(({ bleu }) => bleu === best).step).toBe(Number(/best at step (\d+)/.exec(stdout)[1]));
  expect(found.slice(-3).every(({ bleu }) => bleu <= best)).toBe(true);
}, 120_000);

test('reports what is wrong with a config or its data, and where', () => {
  const failure = (changes) => {
    const { status, stderr } = train(config('bad', changes));
    return [status, stderr];
  };
  expect(failure({ stepz: 3 })).toEqual([1, expect.stringMatching(/bad\.json, stepz: is not a field/)]);
  expect(failure({ corpora: [{ path: 'none.tsv' }] })).toEqual([1, expect.stringMatching(/none\.tsv/)]);
  expect(failure({ vocabulary: 'none' })).toEqual([1, expect.stringMatching(/none\/vocab\.json/)]);
  expect(failure({ model: { d_model: 25 } })).toEqual([1, expect.stringMatching(/must divide d_model/)]);
  writeFileSync(join(folder, 'one-column.tsv'), 'no tab here\n');
  expect(failure({ corpora: [{ path: 'one-column.tsv' }] })).toEqual([1, expect.stringMatching(/one-column\.tsv/)]);
});

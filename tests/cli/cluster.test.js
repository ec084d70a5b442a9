// qkv train with several processes, by mpirun: the losses of one process, the same bits each time, deaths and signals.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { at } from '../../web/tools/common.mjs';
import { tinyModel, tinyPairs } from './tiny-run.js';

const command = at('build/native/qkv');
const mpirun = spawnSync('mpirun', ['--version']).status === 0;
const built = !/without MPI/.test(
  spawnSync(command, ['train', 'package.json'], {
    env: { ...process.env, OMPI_COMM_WORLD_SIZE: '2' },
    encoding: 'utf8',
  }).stderr,
);
const why = !mpirun ? 'there is no mpirun' : !built ? 'qkv was built without MPI' : '';
const several = why ? describe.skip : describe;
const kSteps = 60;

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-cluster-'));
  writeFileSync(join(folder, 'pairs.tsv'), tinyPairs);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a run's config with six batches an update on `processes`. Its name is its folder's. */
function config(name, processes, changes = {}) {
  const run = {
    out: name,
    vocabulary: at('tests/goldens/models/tiny-f32'),
    corpora: [{ path: 'pairs.tsv' }],
    dev: 'pairs.tsv',
    preset: 'tiny',
    model: tinyModel,
    batch: { tokens: 60, longest: 64, accumulate: 6 / processes },
    schedule: { peak: 0.005, warmup: 20 },
    steps: kSteps,
    average: { from: 0.5, every: 3 },
    measure: { every: 20 },
    checkpoint: { every: 10 },
    log: { every: 1 },
    ...changes,
  };
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(run));
  return file;
}

const env = { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
const given = (processes) => ['--oversubscribe', '--bind-to', 'none', '-n', String(processes), command, 'train'];
const train = (processes, file, ...more) =>
  processes === 1
    ? spawnSync(command, ['train', file, '--threads', '1', ...more], { encoding: 'utf8' })
    : spawnSync('mpirun', [...given(processes), file, '--threads', '1', ...more], { env, encoding: 'utf8' });
const weights = (name) => {
  const [checkpoint] = readdirSync(join(folder, name)).filter((entry) => /^checkpoint-\d/.test(entry));
  return readFileSync(join(folder, name, checkpoint, 'state.safetensors'));
};
const log = (name, wanted) =>
  readFileSync(join(folder, name, 'log.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === wanted);
const losses = (name, kind = 'step') => log(name, kind).map(({ loss }) => loss);
/** The greatest difference of two curves, in nats. */
const apart = (a, b) => Math.max(...a.map((loss, i) => Math.abs(loss - b[i])));

test('a build without MPI, or another MPI, says so', () => {
  const file = config('alone', 1);
  const { status, stderr } = spawnSync(command, ['train', file], {
    env: { ...env, OMPI_COMM_WORLD_SIZE: '2' },
    encoding: 'utf8',
  });
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/built without MPI: install libopenmpi-dev|by another MPI than the one it was built with/);
  expect(existsSync(join(folder, 'alone'))).toBe(false);
});

several(`several processes${why && ` (skipped: ${why})`}`, () => {
  beforeAll(() => {
    for (const processes of [1, 2, 3]) {
      const { status, stderr } = train(processes, config(`of-${processes}`, processes));
      expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    }
  }, 120_000);

  test('have the losses of one process, with dropout too', () => {
    expect(losses('of-1').length).toBe(kSteps);
    expect(losses('of-1').at(-1)).toBeLessThan(losses('of-1')[0] * 0.8);
    for (const processes of [2, 3]) {
      expect(apart(losses(`of-${processes}`), losses('of-1'))).toBeLessThan(1e-3);
      expect(apart(losses(`of-${processes}`, 'measure'), losses('of-1', 'measure'))).toBeLessThan(1e-3);
      const { processes: count, bytes_sent: bytes, seconds_waited: waited } = log(`of-${processes}`, 'step').at(-1);
      expect([count, bytes > 0, waited > 0]).toEqual([processes, true, true]);
    }
  });

  test('one process gives the same bits as a run without mpirun', () => {
    const { status } = spawnSync('mpirun', [...given(1), config('single', 1), '--threads', '1'], { env });
    expect(status).toBe(0);
    expect(weights('single').equals(weights('of-1'))).toBe(true);
    expect(losses('single')).toEqual(losses('of-1'));
  }, 60_000);

  test('give the same bits again, on any number of threads', () => {
    const run = spawnSync('mpirun', [...given(3), config('again', 3), '--threads', '2'], { env, encoding: 'utf8' });
    expect([run.status, run.stdout]).toEqual([0, expect.stringMatching(/again\/model: trained for 60 steps/)]);
    expect(run.stderr).toMatch(/^qkv: 3 processes, 6 batches an update; this one has 2 threads\n/);
    expect(weights('again').equals(weights('of-3'))).toBe(true);
  }, 60_000);

  test('continue a run that another number of processes began', () => {
    const half = config('half', 2, { steps: 30 });
    expect(train(2, half).status).toBe(0);
    const rest = config('half', 3);
    expect(train(3, rest, '--resume').status).toBe(0);
    expect(losses('half').length).toBe(kSteps);
    expect(apart(losses('half').slice(30), losses('of-1').slice(30))).toBeLessThan(1e-2);
  }, 60_000);

  test('send half the bytes in bf16, and learn as much', () => {
    expect(train(2, config('bf16', 2, { wire: 'bf16' })).status).toBe(0);
    const [half, whole] = ['bf16', 'of-2'].map((name) => log(name, 'step').at(-1).bytes_sent);
    expect(half).toBe(whole / 2);
    const [of, than] = ['bf16', 'of-2'].map((name) => losses(name, 'measure').at(-1));
    expect(of).not.toBe(than);
    expect(Math.abs(of - than)).toBeLessThan(0.02);
  }, 60_000);

  describe('a process is killed', () => {
    const long = { steps: 300, checkpoint: { every: 5 }, measure: { every: 100 }, log: { every: 50 } };
    beforeAll(() => expect(train(3, config('long', 3, long)).status).toBe(0), 60_000);

    const say = 'number %i: a message names it, all end, and the run continues to the same bits';
    test.each([0, 1, 2])(
      say,
      async (killed) => {
        const name = `killed-${killed}`;
        const file = config(name, 3, long);
        const { run, ended, printed } = started(3, file);
        while (!existsSync(join(folder, name)) || !readdirSync(join(folder, name)).some((at) => /point-\d/.test(at))) {
          await sleep(5);
          if (run.exitCode !== null) throw new Error(printed());
        }
        const processes = processesOf(file);
        expect(processes.length).toBe(3);
        process.kill(processes[killed].pid, 'SIGKILL');
        const since = performance.now();
        expect(await ended).not.toBe(0);
        while (processesOf(file).length > 0 && performance.now() - since < 10_000) await sleep(20);
        expect(processesOf(file)).toEqual([]);
        expect(performance.now() - since).toBeLessThan(10_000);
        expect(printed()).toMatch(new RegExp(`process rank ${killed} .*signal 9`));
        expect(train(3, file, '--resume').status).toBe(0);
        expect(weights(name).equals(weights('long'))).toBe(true);
      },
      60_000,
    );
  });

  test('SIGTERM to one process ends all processes, with a checkpoint', async () => {
    const file = config('stopped', 2, { steps: 100_000, checkpoint: { every: 100_000 }, measure: { every: 100_000 } });
    const { ended, printed } = started(2, file);
    while (!/step 20 of/.test(printed())) await sleep(5);
    process.kill(processesOf(file)[1].pid, 'SIGTERM');
    expect(await ended).toBe(143);
    const step = Number(/stopped at step (\d+); go on with --resume/.exec(printed())[1]);
    expect(existsSync(join(folder, 'stopped', `checkpoint-${step}`, 'progress.json'))).toBe(true);
    expect(losses('stopped').length).toBe(step);
  }, 60_000);

  test('an error is printed once, with the process that has it', () => {
    const wrong = train(2, config('wrong', 2, { corpora: [{ path: 'none.tsv' }] }));
    expect([wrong.status, wrong.stderr.match(/none\.tsv/g).length]).toEqual([1, 1]);
    const field = train(2, config('field', 2, { stepz: 1 }));
    expect([field.status, field.stderr.match(/stepz: is not a field/g).length]).toEqual([1, 1]);
    // mpirun sometimes crashes after MPI_Abort. It prints the call's name.
    expect(wrong.stderr + field.stderr).not.toMatch(/MPI_ABORT/);
    // The second process has other data.
    writeFileSync(join(folder, 'other.tsv'), 'a b\tb a\nc\tc\n');
    const [one, other] = [config('data', 2), config('other', 2, { corpora: [{ path: 'other.tsv' }] })];
    const start = ['--oversubscribe', '-n', '1', command, 'train', one, ':', '-n', '1', command, 'train', other];
    const data = spawnSync('mpirun', start, { env, encoding: 'utf8' });
    expect([data.status, data.stderr]).toEqual([
      1,
      expect.stringContaining('process 1 of 2: has other training data than process 0'),
    ]);
  }, 60_000);
});

/** Starts a run, and reads what it says. */
function started(processes, file) {
  const run = spawn('mpirun', [...given(processes), file, '--threads', '1'], { env });
  let stderr = '';
  run.stderr.on('data', (data) => (stderr += data));
  return { run, printed: () => stderr, ended: new Promise((resolve) => run.on('close', resolve)) };
}

/** The processes of a run, by their rank. */
function processesOf(file) {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        if (program !== command || !args.includes(file)) return [];
        const rank = /OMPI_COMM_WORLD_RANK=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))[1];
        return [{ pid: Number(pid), rank: Number(rank) }];
      } catch {
        return [];
      }
    })
    .toSorted((a, b) => a.rank - b.rank);
}

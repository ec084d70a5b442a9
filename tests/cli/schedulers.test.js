// The commands of web/docs/schedulers.md, run here: what comes out is the output of one process, line for line.

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { at } from '../../web/tools/common.mjs';
import { freePort } from '../servers.js';
import { tinyModel } from './tiny-run.js';

const page = readFileSync(at('web/docs/schedulers.md'), 'utf8');
const model = at('tests/goldens/models/tiny-f32');
/** A block of the page, with this machine's names. */
const block = (name, names = {}) => {
  const text = new RegExp(`^\`\`\`\\w+ ${name}\n([^]*?)^\`\`\``, 'm').exec(page)[1];
  return Object.entries({ MODEL: model, ...names }).reduce((now, [from, to]) => now.replaceAll(from, to), text);
};

const path = [at('build/native'), '/usr/sbin', process.env.PATH].join(delimiter);
const python = '/usr/bin/python3'; // Debian's, which has Debian's packages
const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: path } }).status === 0;

const lines = Array.from(
  { length: 5000 },
  (_, i) => ['a b', 'c d e', 'f', 'g a', 'b c d'][(i * 7) % 5] + ' a'.repeat(i % 4),
);
let folder, expected;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-schedulers-'));
  const input = `${lines.join('\n')}\n`;
  writeFileSync(join(folder, 'corpus.en'), input);
  expected = spawnSync('qkv', ['translate', '-m', model], { input, env: { PATH: path }, encoding: 'utf8' }).stdout;
  expect(expected.split('\n').length).toBe(lines.length + 1);
});
afterAll(() => rmSync(folder, { recursive: true }));

const children = [];
afterAll(() => children.forEach((child) => child.kill('SIGKILL')));
/** Starts a program that runs until the tests end, or is killed. What it says is in `printed`. */
function start(program, args, more = {}) {
  const child = spawn(program, args, { env: { ...process.env, PATH: path, ...more }, cwd: folder });
  child.printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (child.printed += data));
  child.on('error', (error) => (child.printed += error.message));
  children.push(child);
  return child;
}
/** Waits until `ready` is true. */
async function until(ready, say, seconds = 30) {
  for (const end = Date.now() + seconds * 1000; !ready(); await sleep(50)) {
    if (Date.now() > end) throw new Error(say());
  }
}

/** Runs a block to its end. */
async function succeeds(script, env = {}) {
  const run = start('sh', ['-ec', script], env);
  const status = await new Promise((resolve) => run.on('close', resolve));
  expect([status, status === 0 ? '' : run.printed]).toEqual([0, '']);
  return run.printed;
}
/** Runs a block; corpus.fr is what one process gives. */
async function gives(script, env = {}) {
  rmSync(join(folder, 'corpus.fr'), { force: true });
  await succeeds(script, env);
  expect(readFileSync(join(folder, 'corpus.fr'), 'utf8') === expected).toBe(true);
}

const parallel = has('parallel');
(parallel ? test : test.skip)(
  `GNU parallel${parallel ? '' : ' (skipped: not installed)'}`,
  () => gives(block('parallel')),
  60_000,
);

const sshd = parallel && has('sshd') && process.getuid() === 0;
(sshd ? test : test.skip)(
  `GNU parallel on hosts${sshd ? '' : ' (skipped: sshd is not installed, or this is not root)'}`,
  async () => {
    for (const key of ['host', 'own'])
      spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, key)]);
    writeFileSync(join(folder, 'authorized'), readFileSync(join(folder, 'own.pub')));
    const port = await freePort();
    const server = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${folder}/host`,
      `AuthorizedKeysFile ${folder}/authorized`,
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin yes',
      `SetEnv PATH=${path}`,
    ];
    writeFileSync(join(folder, 'sshd'), `${server.join('\n')}\n`);
    mkdirSync('/run/sshd', { recursive: true });
    const daemon = start('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'sshd')]);
    await until(
      () => /listening/.test(daemon.printed),
      () => daemon.printed,
    );
    const client = [
      'Host host1 host2',
      'HostName 127.0.0.1',
      `Port ${port}`,
      'User root',
      `IdentityFile ${folder}/own`,
      'StrictHostKeyChecking no',
      'UserKnownHostsFile /dev/null',
      'LogLevel ERROR',
    ];
    writeFileSync(join(folder, 'ssh'), `${client.join('\n')}\n`);
    await gives(block('hosts'), { PARALLEL_SSH: `ssh -F ${folder}/ssh`, HOME: folder });
  },
  60_000,
);

const slurm = ['slurmctld', 'slurmd', 'munged', 'sbatch'].every(has) && process.getuid() === 0;
(slurm ? test : test.skip)(
  `Slurm${slurm ? '' : ' (skipped: slurm-wlm is not installed, or this is not root)'}`,
  async () => {
    const [control, node] = [await freePort(), await freePort()];
    const name = hostname().split('.')[0];
    writeFileSync(join(folder, 'munge.key'), 'k'.repeat(1024), { mode: 0o400 });
    chmodSync(folder, 0o755);
    const socket = join(folder, 'munge.socket');
    const files = ['pid', 'log', 'seed'].map((kind) => `--${kind}-file=${folder}/munge.${kind}`);
    const munge = start('munged', ['-F', '--force', `--socket=${socket}`, `--key-file=${folder}/munge.key`, ...files]);
    await until(
      () => existsSync(socket),
      () => munge.printed,
    );
    const config = [
      'ClusterName=test',
      `SlurmctldHost=${name}(127.0.0.1)`,
      `SlurmctldPort=${control}`,
      `SlurmdPort=${node}`,
      'SlurmUser=root',
      `AuthInfo=socket=${socket}`,
      `StateSaveLocation=${folder}/state`,
      `SlurmdSpoolDir=${folder}/spool`,
      `SlurmctldPidFile=${folder}/slurmctld.pid`,
      `SlurmdPidFile=${folder}/slurmd.pid`,
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'JobAcctGatherType=jobacct_gather/none',
      'SelectType=select/cons_tres',
      'ReturnToService=2',
      'SchedulerParameters=sched_interval=1,batch_sched_delay=0',
      `NodeName=${name} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN`,
      `PartitionName=all Nodes=${name} Default=YES MaxTime=INFINITE State=UP`,
    ];
    for (const each of ['state', 'spool']) mkdirSync(join(folder, each));
    const env = { SLURM_CONF: join(folder, 'slurm.conf') };
    writeFileSync(env.SLURM_CONF, `${config.join('\n')}\n`);
    const daemons = [start('slurmctld', ['-D', '-c'], env), start('slurmd', ['-D', '-c'], env)];
    const idle = () => spawnSync('sinfo', ['-h', '-o', '%T'], { env: { PATH: path, ...env } }).stdout.includes('idle');
    await until(idle, () => daemons.map(({ printed }) => printed).join('\n'));
    writeFileSync(join(folder, 'translate.sh'), block('slurm-script'));
    await gives(block('slurm'), env);
  },
  120_000,
);

const dask = spawnSync(python, ['-c', 'import distributed']).status === 0;
(dask ? test : test.skip)(
  `Dask, and a worker is killed midway${dask ? '' : ' (skipped: python3-distributed is not installed)'}`,
  async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const run = (name, ...args) => start(python, ['-m', `distributed.cli.dask_${name}`, ...args]);
    const [host, port] = address.split(':');
    run('scheduler', '--host', host, '--port', port, '--no-dashboard');
    const worker = () => run('worker', address, '--nthreads', '1', '--no-nanny', '--no-dashboard');
    const workers = [worker(), worker()];
    await until(
      () => workers.every(({ printed }) => /Registered to/.test(printed)),
      () => workers.map(({ printed }) => printed).join('\n'),
    );
    // Partitions of a few lines, and a pause in each: the death comes in the middle.
    const script = block('dask', { 'SCHEDULER:8786': address, '64KiB': '1KiB' }).replace(
      'lines = [',
      'open("begun", "a").write(".")\n    import time\n    time.sleep(0.05)\n    lines = [',
    );
    writeFileSync(join(folder, 'translate.py'), script);
    const begun = () => (existsSync(join(folder, 'begun')) ? readFileSync(join(folder, 'begun')).length : 0);
    const killed = until(() => begun() >= 10, String, 60).then(() => workers[0].kill('SIGKILL'));
    await Promise.all([gives(`${python} translate.py`), killed]);
    expect(begun()).toBeGreaterThan(20);
  },
  120_000,
);

const learns = !/without/.test(
  spawnSync('qkv', ['vocab', '--data', '/dev/null', '-o', '/nowhere/x'], { env: { PATH: path }, encoding: 'utf8' })
    .stderr,
);
const distil = parallel && learns;
(distil ? test : test.skip)(
  `a small model from a large one${distil ? '' : ' (skipped: without GNU parallel, or SentencePiece where qkv was built)'}`,
  async () => {
    const names = { LARGE: at('web/models/en-fr') };
    const [who, what] = ['I You We They She'.split(' '), 'see hear like know want love'.split(' ')];
    const whom = ['the dog', 'the house', 'a friend', 'my brother', 'her', 'good music', 'the sea', 'no one'];
    const sentences = who.flatMap((a) => what.flatMap((b) => whom.map((c) => `${a} ${b} ${c}.`)));
    writeFileSync(join(folder, 'corpus.en'), `${sentences.join('\n')}\n`);
    await succeeds(block('distil-translate', names));
    const read = (name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    expect(read('scored.tsv').map((line) => line.split('\t')[1])).toEqual(sentences);
    const kept = read('scored.tsv').filter((line) => Number(line.split('\t')[0]) > -1);
    const pairs = kept.map((line) => line.replace(/^[^\t]*\t/, ''));
    expect(read('pairs.tsv')).toEqual(pairs);
    expect(pairs.length).toBeGreaterThan(150);
    // The student: the page's, but small, and measured by what it has learnt.
    writeFileSync(join(folder, 'dev.tsv'), `${pairs.slice(0, 40).join('\n')}\n`);
    const { model: none, ...config } = JSON.parse(block('distil-config'));
    const small = {
      ...config,
      model: { ...none, ...tinyModel, d_model: 48 },
      batch: { tokens: 500, joined: [1] },
      schedule: { peak: 0.01, warmup: 40 },
      steps: 250,
    };
    writeFileSync(join(folder, 'student.json'), JSON.stringify(small));
    const said = await succeeds(block('distil-train', { ...names, 8000: '112' }));
    const [teacher, student] = [...said.matchAll(/^ *BLEU\|.* = ([\d.]+) /gm)].map(([, bleu]) => Number(bleu));
    expect([teacher > 80, student > 20]).toEqual([true, true]);
    const { stdout } = spawnSync('qkv', ['translate', '-m', 'student-int8'], {
      ...{ cwd: folder, env: { PATH: path }, encoding: 'utf8' },
      input: `${sentences[0]}\n`,
    });
    expect(stdout.trim()).not.toBe('');
  },
  120_000,
);

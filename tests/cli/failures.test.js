// How every command fails: one line on standard error with the reason, and an exit code for the kind of failure. The
// table has each command; `qkv --help` lists them.

import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kBoth, kNative, kNode } from './both.js';
import { tinyModel, tinyPairs } from './tiny-run.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [command] = kNative;
const golden = (name) => join(root, 'tests/goldens', name);
const translator = golden('models/tiny-f32');
const trained = join(root, 'web/models/en-fr');
const encoder = golden('one-sided/bert-masked');
const generator = golden('one-sided/gpt2');

/** @param {string[]} args @param {object} [options] of spawnSync @param {readonly string[]} [of] the command */
const qkv = (args, options = {}, [program, ...first] = kNative) =>
  spawnSync(program, [...first, ...args], { input: '', encoding: 'utf8', timeout: 60_000, ...options });

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  writeFileSync(join(folder, 'pairs.tsv'), tinyPairs);
  writeFileSync(join(folder, 'empty.tsv'), '');
  writeFileSync(join(folder, 'bad.json'), '{');
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...run, out: 'run' }));
  writeFileSync(join(folder, 'endless.json'), JSON.stringify({ ...run, out: 'endless', steps: 1_000_000 }));
  writeFileSync(join(folder, 'blocked.json'), JSON.stringify({ ...run, out: 'empty.tsv' }));
  mkdirSync(join(folder, 'nothing'));
  spawnSync('mkfifo', [join(folder, 'pipe')]);
  makeLanguageModel();
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = {
  vocabulary: translator,
  corpora: [{ path: 'pairs.tsv' }],
  preset: 'tiny',
  model: tinyModel,
  batch: { tokens: 200, longest: 64 },
  steps: 4,
  measure: { every: 2 },
  checkpoint: { every: 2 },
};

/** A model that distinguishes two languages, in the folder `language`. */
function makeLanguageModel() {
  const lines = ['Where is the station?\ten\n', 'Wo ist der Bahnhof?\tde\n'].join('').repeat(20);
  writeFileSync(join(folder, 'languages.tsv'), lines);
  const config = {
    task: 'language',
    out: 'learnt',
    labels: ['de', 'en'],
    vocabulary: 'grams',
    corpora: [{ path: 'languages.tsv' }],
    dev: 'languages.tsv',
    model: { columns: 8, heads: 2 },
    batch: { tokens: 1000, longest: 1000 },
    steps: 2,
    measure: { every: 2 },
  };
  writeFileSync(join(folder, 'languages.json'), JSON.stringify(config));
  const vocabulary = ['vocab', '--for', 'language', '--data', '$/languages.tsv', '--size', '64', '-o', '$/grams'];
  for (const args of [vocabulary, ['train', '$/languages.json', '--threads', '1']])
    expect(qkv(filled(args))).toMatchObject({ status: 0 });
}

// What each command needs to succeed; $ is the folder of this test. The line is the command's input.
const kCommands = {
  // A trained model: a random one writes without end, which standard error reports.
  translate: { args: ['-m', trained], line: 'Hello.\n' },
  score: { args: ['-m', translator], line: 'a b\tb a\n' },
  inspect: { args: ['-m', translator] },
  export: { args: ['--hf', translator, '$/exported'] },
  quantize: { args: [translator, '$/int8'] },
  scores: { args: [] },
  options: { args: [] },
  man: { args: [] },
  completion: { args: ['bash'] },
  explain: { args: ['heads', '-m', translator], line: 'a b\tb a\n' },
  shortlist: { args: ['-m', translator, '--pairs', '$/pairs.tsv', '-o', '$/shortlist.bin'] },
  train: { args: ['$/run.json', '--resume', '--threads', '1'] },
  vocab: { args: ['--spm', join(translator, 'source.spm'), '-o', '$/vocabulary'] },
  detect: { args: ['-m', '$/learnt/model'], line: 'Where is he?\n' },
  evaluate: { args: [translator, '--data', '$/pairs.tsv', '--samples', '0', '--beam', '1'] },
  encode: { args: ['-m', encoder], line: 'the cat\n' },
  'fill-mask': { args: ['-m', encoder], line: 'the [MASK]\n' },
  generate: { args: ['-m', generator, '--max-length', '4'], line: 'the\n' },
};
const names = Object.keys(kCommands);
/** The commands that only the native build has. */
const kNativeOnly = ['detect', 'evaluate', 'export', 'shortlist', 'train', 'vocab'];
const has = (of, name) => of === kNative || !kNativeOnly.includes(name);
const filled = (args) => args.map((arg) => arg.replace('$', folder));

test('the table has every command', () => {
  const { stdout } = qkv(['--help']);
  const listed = stdout.split(/^Subcommands:$/im)[1].matchAll(/^ {2}([a-z][\w-]*) /gm);
  expect([...listed].map(([, name]) => name).toSorted()).toEqual(names.toSorted());
});

const kAll = kBoth.flatMap(([where, of]) => names.filter((name) => has(of, name)).map((name) => [name, where, of]));
describe.each(kAll)('qkv %s, %s,', (name, _, of) => {
  const { args, line = '' } = kCommands[name];
  const succeed = (options) => qkv([name, ...filled(args)], { input: line, ...options }, of);

  test('exits with 0, and writes only its progress to standard error', () => {
    const { status, stderr } = succeed();
    expect([status, stderr.match(/^qkv: .*/m)]).toEqual([0, null]);
  });

  test('exits with 1 if standard output is full or closed', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = succeed({ stdio: ['pipe', full, 'pipe'] });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^qkv: standard output cannot be written\n$/m)]);
    if (of === kNode) return; // which opens /dev/null in the place of a closed file
    const shell = `exec "$0" "$@" >&-`;
    const closed = spawnSync('sh', ['-c', shell, command, name, ...filled(args)], { input: line, encoding: 'utf8' });
    expect([closed.status, closed.stderr]).toEqual([
      1,
      expect.stringMatching(/^qkv: standard output cannot be written\n$/m),
    ]);
  });

  test('exits with 2 and one line for an unknown option, and with 0 for --help', () => {
    const { status, stdout, stderr } = qkv([name, '--no-such-option'], {}, of);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^qkv: [^\\n]+; qkv ${name} --help says what it takes\\n$`));
    const help = qkv([name, '--help'], {}, of);
    expect([help.status, help.stderr]).toEqual([0, '']);
    const full = qkv([name, '--help'], { stdio: ['pipe', openSync('/dev/full', 'w'), 'pipe'] }, of);
    expect([full.status, full.stderr]).toEqual([1, 'qkv: standard output cannot be written\n']);
  });
});

// [title, arguments, exit code, the line's text, input]
const kUnknown = (name) => [
  `${name} of a folder that is none`,
  [name, '-m', '/no/such'],
  1,
  /MISSING_FILE: .*No such file/,
];
const kNameless = (name) => [`${name} of no name`, [name, '-m', ''], 2, /--model: a name is missing/];
const kPiped = (name) => [`${name} of a pipe`, [name, '-m', '$/piped'], 1, /config\.json: .*not a regular file/];
const kReaders = ['translate', 'score', 'inspect', 'encode', 'fill-mask', 'generate'];
const kFailures = [
  ['no command', [], 2, /subcommand is required; qkv --help/],
  ['a command that is none', ['fly'], 2, /^qkv: fly is not a command; qkv --help/],
  ...kReaders.flatMap((name) => [kUnknown(name), kNameless(name), kPiped(name)]),
  ['a model of another kind', ['encode', '-m', translator], 1, /this command is for encoders/],
  ['a model of another kind', ['generate', '-m', encoder], 1, /this command is for generators/],
  ['a beam of none', ['translate', '-m', translator, '--beam', '0'], 2, /--beam: Value 0 not in range 1 to \d+;/],
  [
    'a length of none',
    ['translate', '-m', translator, '--max-length', '0'],
    2,
    /--max-length: .{1,40} range 1 to \d{1,9};/,
  ],
  ['a trace of no name', ['translate', '-m', translator, '--trace', ''], 2, /--trace: a name is missing/],
  [
    'a trace on a full disk',
    ['translate', '-m', trained, '--trace', '/dev/full'],
    1,
    /\/dev\/full: cannot be written: No space/,
    'a\n',
  ],
  [
    'a trace where none can be',
    ['translate', '-m', translator, '--trace', '/no/such'],
    1,
    /\/no\/such: cannot be written: No such/,
  ],
  ['a line that is no pair', ['score', '-m', translator], 1, /line 1: SOURCE<TAB>TARGET/, 'a\n'],
  ['nothing to mask', ['fill-mask', '-m', golden('one-sided/bert-sequence')], 1, /no masked-word head/],
  ['a count below none', ['generate', '-m', generator, '--top-k', '-1'], 2, /--top-k: .{1,40} range/],
  ['no folder', ['quantize', '/no/such', '$/x'], 2, /does not exist/],
  ['a folder of no name', ['quantize', translator, ''], 2, /out: a name is missing/],
  ['an empty folder', ['quantize', '$/nothing', '$/x'], 1, /config\.json/],
  ['a place that is a file', ['quantize', translator, '$/bad.json'], 1, /bad\.json: cannot be made: /],
  ['a decoder', ['quantize', generator, '$/x'], 1, /stored as floats/],
  ['no pairs', ['shortlist', '-m', translator, '--pairs', '$/empty.tsv', '-o', '$/x'], 1, /has no pairs/],
  [
    'no such pairs',
    ['shortlist', '-m', translator, '--pairs', '/no/such', '-o', '$/x'],
    1,
    /\/no\/such cannot be read/,
  ],
  [
    'a list on a full disk',
    ['shortlist', '-m', translator, '--pairs', '$/pairs.tsv', '-o', '/dev/full'],
    1,
    /No space left/,
  ],
  ['no such config', ['train', '/no/such'], 2, /does not exist/],
  ['memory as a config', ['train', '/proc/self/mem'], 1, /\/proc\/self\/mem: cannot be read: /],
  ['an endless config', ['train', '/dev/zero'], 1, /\/dev\/zero: is not a regular file/],
  ['a config that is no JSON', ['train', '$/bad.json'], 1, /bad\.json/],
  ['a place that is a file', ['train', '$/blocked.json'], 1, /empty\.tsv: cannot be made: /],
  ['a folder as a vocabulary', ['vocab', '--spm', '$/nothing', '-o', '$/x'], 1, /nothing: is not a regular file/],
  ['an endless vocabulary', ['vocab', '--spm', '/dev/zero', '-o', '$/x'], 1, /\/dev\/zero: is not a regular file/],
  ['a pipe as a vocabulary', ['vocab', '--spm', '$/pipe', '-o', '$/x'], 1, /pipe: is not a regular file/],
  ['nothing to learn from', ['vocab', '-o', '$/x'], 2, /nothing to learn from/],
  [
    'a size that is not a multiple of 8',
    ['vocab', '--data', '$/pairs.tsv', '--size', '250', '-o', '$/x'],
    2,
    /multiple of 8/,
  ],
  ['no pairs', ['vocab', '--data', '$/pairs.tsv', '--pairs', '0', '-o', '$/x'], 2, /--pairs: .{1,60} range/],
  [
    'a side too many',
    ['vocab', '--for', 'encoder', '--spm', 'x', '--target-spm', 'y', '-o', '$/x'],
    2,
    /--target-spm goes with/,
  ],
  ['nothing to measure', ['evaluate', '--data', '$/pairs.tsv'], 2, /give a model folder/],
  ['no pairs', ['evaluate', translator, '--data', '$/empty.tsv'], 1, /empty\.tsv/],
  ['a pipe as data', ['evaluate', translator, '--data', '$/pipe'], 1, /not a regular file/],
  [
    'a pipe as pairs',
    ['shortlist', '-m', translator, '--pairs', '$/pipe', '-o', '$/x'],
    1,
    /pipe: is not a regular file; .*--pairs -/,
  ],
  ['too few translations', ['evaluate', '--hypotheses', '$/empty.tsv', '--data', '$/pairs.tsv'], 1, /has 0 lines/],
  ['lengths that fall', ['evaluate', translator, '--data', '$/pairs.tsv', '--lengths', '5,3'], 2, /--lengths/],
];

describe('one line, the exit code, and nothing on standard output:', () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'piped'));
    spawnSync('mkfifo', [join(folder, 'piped', 'config.json')]);
  });

  // In Node the opening of a pipe in a model's folder waits for a writer.
  const inBoth = kBoth.flatMap(([where, of]) =>
    kFailures
      .filter(([title, [name]]) => has(of, name) && !(of === kNode && title.endsWith('of a pipe')))
      .map(([title, args, code, says, input = '']) => [title, args, where, code, says, input, of]),
  );
  test.each(inBoth)('%s: %j, %s', (_, args, where, code, says, input, of) => {
    const { status, stdout, stderr, signal } = qkv(filled(args), { input }, of);
    expect([status, signal, input === '' ? stdout : '']).toEqual([code, null, '']);
    expect(stderr).toMatch(/^qkv: [^\n]+\n$/);
    expect(stderr).toMatch(says);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('a name is printed without control characters', () => {
    expect(qkv(['inspect', '-m', '/no\n\u001b[2Jsuch']).stderr).toMatch(
      /^qkv: MISSING_FILE: \/no\?\?\[2Jsuch[^\n]+\n$/,
    );
  });
});

describe('files are complete:', () => {
  test.each(['shortlist', 'vocab', 'quantize'])('%s leaves no part of a file behind', (name) => {
    expect(qkv([name, ...filled(kCommands[name].args)]).status).toBe(0);
    const written = [folder, join(folder, 'vocabulary'), join(folder, 'int8')]
      .filter(existsSync)
      .flatMap((at) => readdirSync(at));
    expect(written.filter((file) => file.endsWith('.part'))).toEqual([]);
  });

  test.each(kBoth)('%s: a trace has its name when it is complete', (_, of) => {
    const trace = join(folder, 'trace.jsonl');
    writeFileSync(trace, 'old');
    const full = { input: 'a\n', stdio: ['pipe', openSync('/dev/full', 'w'), 'pipe'] };
    const { status } = qkv(['translate', '-m', translator, '--trace', trace], full, of);
    expect([status, readFileSync(trace, 'utf8')]).toEqual([1, 'old']);
    expect(qkv(['translate', '-m', translator, '--trace', trace], { input: 'a\n' }, of).status).toBe(0);
    expect(JSON.parse(readFileSync(trace, 'utf8')).source.text).toBe('a');
  });

  test('a link to a file stays a link', () => {
    const link = join(folder, 'link.bin');
    spawnSync('ln', ['-s', join(folder, 'linked.bin'), link]);
    writeFileSync(join(folder, 'linked.bin'), '');
    const args = [...filled(kCommands.shortlist.args).slice(0, -1), link];
    expect(qkv(['shortlist', ...args]).status).toBe(0);
    expect(readFileSync(join(folder, 'linked.bin')).length).toBeGreaterThan(100);
    expect(spawnSync('test', ['-L', link]).status).toBe(0);
  });
});

describe('two at once:', () => {
  test('a second run in the folder of a running one is refused, and the first goes on', async () => {
    const child = spawn(command, ['train', join(folder, 'endless.json'), '--threads', '1'], { stdio: 'pipe' });
    await new Promise((resolve) => child.stderr.once('data', resolve));
    for (const args of [
      ['train', join(folder, 'endless.json')],
      ['quantize', translator, join(folder, 'endless')],
    ]) {
      const { status, stderr } = qkv(args);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^qkv: .*another process is writing into this folder\n$/),
      ]);
    }
    child.kill('SIGTERM');
    await new Promise((resolve) => child.on('close', resolve));
    expect([child.exitCode, child.signalCode]).toEqual([143, null]);
  });

  test('many processes that quantize into one folder leave a valid model, and none reports a disk error', async () => {
    const to = join(folder, 'raced');
    const ended = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const [program, ...first] = i % 2 === 0 ? kNative : kNode;
        const child = spawn(program, [...first, 'quantize', translator, to]);
        let printed = '';
        child.stderr.on('data', (data) => (printed += data));
        const status = await new Promise((resolve) => child.on('close', resolve));
        return [status, printed];
      }),
    );
    expect(ended.filter(([status]) => status === 0).length).toBeGreaterThan(0);
    for (const [status, printed] of ended) {
      expect(printed).toMatch(status === 0 ? /^$/ : /^qkv: .*another process is writing into this folder\n$/);
    }
    expect(qkv(['inspect', '-m', to]).status).toBe(0);
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('a training that %s stops saves, says how to go on, and ends with %i', async (signal, code) => {
  const file = join(folder, `${signal}.json`);
  writeFileSync(file, JSON.stringify({ ...run, out: signal, steps: 1_000_000 }));
  const child = spawn(command, ['train', file, '--threads', '1']);
  let printed = '';
  child.stderr.on('data', (data) => (printed += data));
  await new Promise((resolve) => child.stderr.once('data', resolve));
  child.kill(signal);
  await new Promise((resolve) => child.on('close', resolve));
  expect([child.exitCode, child.signalCode]).toEqual([code, null]);
  const step = /^qkv: stopped at step (\d+); go on with --resume$/m.exec(printed)[1];
  expect(existsSync(join(folder, signal, `checkpoint-${step}`))).toBe(true);
});

describe.each(
  kBoth.flatMap(([where, of]) => [
    ['SIGINT', 130, where, of],
    ['SIGTERM', 143, where, of],
  ]),
)('a translation that %s stops ends at once with %i, %s,', (signal, code, _, [program, ...first]) => {
  const stopped = async (child) => {
    const start = performance.now();
    child.kill(signal);
    await new Promise((resolve) => child.on('close', resolve));
    expect(performance.now() - start).toBeLessThan(5000);
    expect([child.exitCode, child.signalCode]).toEqual([code, null]);
  };

  test('while it translates: its lines are complete, and an unfinished trace is removed', async () => {
    const trace = join(folder, `${signal}.jsonl`);
    const child = spawn(program, [...first, 'translate', '-m', translator, '--threads', '1', '--trace', trace]);
    let written = '';
    child.stdout.on('data', (data) => (written += data));
    child.stdin.on('error', () => {}); // it ends before all input is read
    child.stdin.write('Where is the kitchen?\n');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const line = written;
    expect(line).toMatch(/^.+\n$/);
    expect(existsSync(`${trace}.part`)).toBe(true);
    child.stdin.write('Where is the kitchen?\n'.repeat(100_000));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await stopped(child);
    expect(written).toBe(line.repeat(written.length / line.length));
    for (const path of [trace, `${trace}.part`]) expect(existsSync(path)).toBe(false);
  });

  test('while it waits for a line', async () => {
    const child = spawn(program, [...first, 'translate', '-m', translator]);
    child.stdin.write('Where is the kitchen?\n');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await stopped(child);
  });
});

test('quantize of shards, or of weights in several layouts, writes int8 weights alone', () => {
  const shards = golden('one-sided/bert-answer');
  const from = join(folder, 'layouts');
  cpSync(shards, from, { recursive: true });
  for (const name of ['pytorch_model.bin', 'tf_model.h5', 'flax_model.msgpack', 'rust_model.ot']) {
    writeFileSync(join(from, name), 'weights of another layout');
  }
  writeFileSync(join(from, 'README.md'), 'kept');
  const to = join(folder, 'from-shards');
  const { status, stdout, stderr } = qkv(['quantize', from, to]);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/model-00001-of-00002\.safetensors and 1 more: 0\.0 MB, .*model\.safetensors: 0\.0 MB\n$/);
  const kept = readdirSync(shards).filter((name) => !name.includes('safetensors'));
  expect(readdirSync(to).toSorted()).toEqual([...kept, 'model.safetensors', 'README.md'].toSorted());
  expect(qkv(['inspect', '-m', to]).status).toBe(0);
});

test("quantize of PyTorch's file writes int8 weights alone", () => {
  const from = golden('one-sided/roberta-masked-relu');
  const to = join(folder, 'from-pytorch');
  const { status, stdout, stderr } = qkv(['quantize', from, to]);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/pytorch_model\.bin: 0\.0 MB, .*model\.safetensors: 0\.0 MB\n$/);
  expect(readdirSync(to).includes('pytorch_model.bin')).toBe(false);
  const guess = (model) => JSON.parse(qkv(['fill-mask', '-m', model], { input: 'It is a <mask> day.\n' }).stdout)[0][0];
  expect(guess(to).piece).toBe(guess(from).piece);
});

// The command for Node against the native one: the same output to the byte, the same errors, the same exit codes.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kNative, kNode, runIn } from './both.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const golden = (name) => join(root, 'tests/goldens', name);
const kEnFr = join(root, 'web/models/en-fr');

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-command-'));
  const installed = join(folder, 'node_modules');
  mkdirSync(installed);
  symlinkSync(kEnFr, join(installed, 'qkv-en-fr'));
  writeFileSync(join(folder, 'terms.tsv'), 'house\tmaison\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string[]} command @param {string[]} given @param {string | Buffer} [input] */
const run = (command, given, input = '') => runIn(command, given, input, folder);

const kLines =
  'My brother lives in a big white house.\n\nIt costs 12.50 € at www.example.com \u{1F642}\nline 3\u0000x\n';
const kFillMask = 'The cat [MASK] on the mat.\n';
const english = (name) => join(root, 'web/models/english', name);

test.each([
  ['a translation', ['translate', '-m', kEnFr], kLines],
  ['bytes that are no UTF-8', ['translate', '-m', kEnFr], Buffer.from([0x49, 0xff, 0xfe, 0x2e, 0x0a])],
  ['options', ['translate', '-m', kEnFr, '--beam', '2', '--max-length=5', '--confidence', '--no-copy'], kLines],
  ['terms', ['translate', '-m', kEnFr, '--keep', 'brother', '--glossary', 'terms.tsv'], kLines],
  ['no lines', ['translate', '-m', kEnFr], ''],
  ['a recurrent model', ['translate', '-m', join(root, 'web/models/compared/bahdanau')], kLines],
  ["a model of Marian's", ['translate', '-m', golden('marian/ssru-int8')], 'ab cd\n'],
  ['scores of pairs', ['score', '-m', kEnFr], "I love you.\tJe t'aime.\n"],
  ['scores of pieces', ['score', '-m', kEnFr, '--pieces'], "I love you.\tJe t'aime.\n"],
  ['a line that is no pair', ['score', '-m', kEnFr], 'I love you.\n'],
  ['a hidden word', ['fill-mask', '-m', english('masked')], kFillMask],
  ['a text that goes on', ['generate', '-m', english('everyday'), '--seed', '3'], 'The old\n'],
  ['a label', ['encode', '-m', english('questions')], 'Where is he?\n'],
  ['facts', ['inspect', '-m', kEnFr], ''],
  ["facts of a model of Marian's", ['inspect', '-m', golden('marian/ssru-int8')], ''],
  ['the list of scores', ['scores'], ''],
  ['the list of options', ['options', '--json'], ''],
  ['the version', ['--version'], ''],
  ['help', ['translate', '--help'], ''],
  ['no command', [], ''],
  ['no such command', ['transmute'], ''],
  ['no such option', ['translate', '--nope'], ''],
  ['a value out of range', ['translate', '-m', kEnFr, '--beam', '65'], ''],
  ['no model', ['translate'], ''],
  ['no such folder', ['translate', '-m', '/nowhere/at/all'], ''],
  ['a folder without a model', ['translate', '-m', golden('')], ''],
])('%s: output, errors and exit code are those of the native command', (_, given, input) => {
  const native = run(kNative, given, input);
  expect(run(kNode, given, input)).toEqual(native);
  expect(native.stdout + native.stderr + given.join('')).not.toBe('');
});

test('a command that fails at once ends with its status, however often', () => {
  const given = ['translate', '-m', golden('models/tiny-f32'), '--output', join(folder, 'none.gz'), '--resume'];
  const ends = Array.from({ length: 30 }, () => {
    const { status, signal } = spawnSync(kNode[0], [...kNode.slice(1), ...given], { input: '' });
    return [status, signal];
  });
  expect(ends).toEqual(Array.from({ length: 30 }, () => [2, null]));
}, 60_000);

describe('every command of both:', () => {
  // Those of Node's help but `serve`, which is Node's alone.
  const listed = runIn(kNode, ['--help'], '', root).stdout.split(/^Subcommands:$/im)[1];
  const names = [...listed.matchAll(/^ {2}([a-z][\w-]*) /gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'serve');

  test('the commands are those in the documents', () => {
    const [, row] = /\| for Node \|.*\| (.*) \|$/m.exec(readFileSync(join(root, 'web/docs/command.md'), 'utf8'));
    expect([...names, 'serve'].toSorted()).toEqual(row.split(', ').toSorted());
  });

  test.each(names)(
    '%s: help, errors and exit codes are those of the native command',
    (name) => {
      const model = ['-m', '/nowhere/at/all'];
      for (const given of [
        ['--help'],
        ['--no-such-option'],
        ...(name === 'man' ? [] : [[]]), // the manual has the commands that there are, see below
        model,
        ['-m', ''],
        ['a', 'b', 'c', 'd'],
        ['--threads', '0'],
      ]) {
        const native = run(kNative, [name, ...given]);
        expect([given, run(kNode, [name, ...given])]).toEqual([given, native]);
        expect(native.stdout + native.stderr).not.toBe('');
      }
    },
    60_000,
  );

  test('the manual and the completions have their options', () => {
    const parts = (command) =>
      new Map(
        run(command, ['man'])
          .stdout.split(/^\.SS /m)
          .map((part) => [part.split('\n')[0], part]),
      );
    const [native, node] = [parts(kNative), parts(kNode)];
    for (const name of names)
      expect(node.get(`qkv ${name.replaceAll('-', '\\-')}`)).toBe(native.get(`qkv ${name.replaceAll('-', '\\-')}`));
    for (const shell of ['bash', 'zsh', 'fish']) {
      const lines = new Set(run(kNative, ['completion', shell]).stdout.split('\n'));
      const own = run(kNode, ['completion', shell]).stdout.split('\n');
      const ofCommand = own.filter((line) =>
        names.some((name) => line.startsWith(`    ${name}) `) || line.includes(`from ${name}'`)),
      );
      expect(ofCommand.length).toBeGreaterThan(names.length - 1);
      expect(ofCommand.filter((line) => !lines.has(line))).toEqual([]);
    }
  });
});

test('a trace and a rounded model are the same files', () => {
  const made = [kNative, kNode].map((command, i) => {
    const trace = run(command, ['translate', '-m', kEnFr, '--trace', `trace-${i}.json`, '--vectors'], 'I love you.\n');
    const quantized = run(command, ['quantize', golden('models/tiny-f32'), `rounded-${i}`]);
    expect([trace.status, quantized.status]).toEqual([0, 0]);
    return [`trace-${i}.json`, `rounded-${i}/model.safetensors`].map((name) => readFileSync(join(folder, name)));
  });
  expect(made[1][0].equals(made[0][0])).toBe(true);
  expect(made[1][1].equals(made[0][1])).toBe(true);
});

test("a compressed file of Marian's that is damaged is an error", () => {
  const from = golden('marian/ssru-int8');
  const names = readdirSync(from).filter((name) => name.endsWith('.gz'));
  expect(names.length).toBeGreaterThan(1);
  mkdirSync(join(folder, 'cut'));
  for (const name of names) writeFileSync(join(folder, 'cut', name), readFileSync(join(from, name)).subarray(0, 1000));
  const { status, stdout, stderr } = run(kNode, ['translate', '-m', 'cut'], 'ab cd\n');
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^qkv: \w+: cut\/\S+\.gz: .*\n$/)]);
});

describe('threads share the lines of a file:', () => {
  const words = ['a b', 'c d e', 'f', 'g a', 'b c d', 'I \xff'.repeat(40)];
  const many = Array.from({ length: 700 }, (_, i) => words[(i * 7) % 6] + ' a'.repeat(i % 5)).join('\n');
  const records = Array.from({ length: 700 }, (_, i) => JSON.stringify({ id: i, text: `${words[i % 5]} ${i}` })).join(
    '\n',
  );
  const tiny = golden('models/tiny-f32');

  test.each([
    ['lines', [], many],
    ['three threads, and fewer lines than they take', ['--threads', '3', '--sort-buffer', '100'], many],
    ['the n best, with the numbers of their lines', ['--n-best', '2'], many],
    ['what is said of lines', ['--max-length', '3'], many],
    ['scores', ['--scores', '--beam', '1'], many.slice(0, 1500), kEnFr], // whose int8 gives the same bits everywhere
    ['records', ['--jsonl', 'text'], records],
    ['a record that is wrong', ['--jsonl', 'text'], records.replace('"id":650,"text"', '"id":650,"test"')],
  ])('%s: output and errors are those of one thread and of the native command', (_, options, input, model = tiny) => {
    const given = ['translate', '-m', model, ...options];
    const native = run(kNative, given, input);
    expect(run(kNode, [...given, ...(options[0] === '--threads' ? [] : ['--threads', '2'])], input)).toEqual(native);
    if (options[0] !== '--threads') expect(run(kNode, [...given, '--threads', '1'], input)).toEqual(native);
    expect(native.stdout + native.stderr).not.toBe('');
  });

  test('the number of threads is the reported one', () => {
    // Each thread runs what Node is told to begin with.
    writeFileSync(join(folder, 'begin.cjs'), "require('node:fs').appendFileSync('begun', '.');");
    const begun = (threads) => {
      rmSync(join(folder, 'begun'), { force: true });
      const program = [process.execPath, '--require', join(folder, 'begin.cjs'), kNode[1]];
      expect(run(program, ['translate', '-m', tiny, '--threads', threads], many).status).toBe(0);
      return readFileSync(join(folder, 'begun')).length;
    };
    expect([begun('1'), begun('2'), begun('4')]).toEqual([2, 3, 5]); // and the main thread, which hears signals
  });
});

test('a glossary is read from a pipe, or an error says that it cannot be', () => {
  const script = '"$@" --glossary <(printf "house\\tZz\\n")';
  const [native, node] = [kNative, kNode].map((command) =>
    run(['bash', '-c', script, 'bash', ...command], ['translate', '-m', kEnFr], 'A house.\n'),
  );
  expect([native.status, native.stdout]).toEqual([0, expect.stringContaining('Zz')]);
  expect([node.status, node.stderr]).toEqual([1, expect.stringMatching(/^qkv: \/dev\/fd\/\d+ cannot be read: .*\n$/)]);
});

test('the command waits for a full non-blocking pipe', async () => {
  const child = spawn(process.execPath, ['-e', kSlowParent, ...kNode.slice(1), golden('models/tiny-f32')]);
  let read = '';
  child.stdout.on('data', (data) => (read += data));
  child.stderr.resume();
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect(read.split('\n').length).toBe(20_001);
});

/** Sets its own standard output not to block, as Node does at its first use, and gives it to the command. */
const kSlowParent = `
  process.stdout;
  const [command, model] = process.argv.slice(1);
  const given = ['translate', '-m', model, '--max-length', '9', '--threads', '1'];
  const child = require('node:child_process').spawn(process.execPath, [command, ...given], { stdio: ['pipe', 'inherit', 'ignore'] });
  child.stdin.end('a b c d e f g a\\n'.repeat(20000));
  child.on('exit', (code) => (process.exitCode = code));`;

/** The exit code of a filter of which somebody reads the first line alone, what that is, and what is said. */
function firstLineOf(command, given) {
  const script = 'yes "I love you." | "$@" | head -n 1; echo "${PIPESTATUS[1]}"';
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...command, ...given], { encoding: 'utf8' });
  return [stdout, stderr];
}

test.each([
  ['native', kNative],
  ['in Node, one thread', [...kNode], '1'],
  ['in Node, two threads', [...kNode], '2'],
])('%s: it exits with 141 and no message when its output is closed', (_, command, threads = '1') => {
  const translating = ['translate', '-m', kEnFr, '--beam', '1', '--sort-buffer', '64', '--threads', threads];
  expect(firstLineOf(command, translating)).toEqual(["Je t'aime.\n141\n", '']);
  // SIGPIPE ignored, as programs of Python start others.
  const ignoring = ['bash', '-c', 'trap "" PIPE; exec "$@"', 'bash', ...command];
  expect(firstLineOf(ignoring, translating)).toEqual(["Je t'aime.\n141\n", '']);
});

test('an installed package of a model is named by its name', () => {
  const { stdout, status } = run(kNode, ['translate', '--model', 'qkv-en-fr'], 'Good morning.\n');
  expect([status, stdout]).toEqual([0, 'Bonjour.\n']);
  expect(run(kNode, ['translate', '--model=qkv-en-fr'], 'Good morning.\n').stdout).toBe('Bonjour.\n');
  expect(run(kNode, ['translate', '--model', 'qkv-en-xx']).stderr).toMatch(/qkv-en-xx\/config.json/);
});

test.each(['detect', 'train', 'vocab', 'evaluate', 'export', 'shortlist'])(
  '%s says that it needs the native command',
  (name) => {
    const { status, stderr } = run(kNode, [name]);
    expect([status, stderr]).toEqual([2, `qkv: ${name} needs the native command, which the repository builds\n`]);
  },
);

// The command for Node against the native one: the same output to the byte, the same errors, the same exit codes.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const golden = (name) => join(root, 'tests/goldens', name);
const kEnFr = join(root, 'web/models/en-fr');
const kNode = [process.execPath, join(root, 'build/qkv-cli/qkv.js')];
const kNative = [join(root, 'build/native/qkv')];

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
function run([program, ...first], given, input = '') {
  const { status, stdout, stderr } = spawnSync(program, [...first, ...given], {
    input,
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, QKV_MODEL: '' },
  });
  // The default of --threads depends on the machine.
  return { status, stdout: stdout.replace(/(--threads .*\])=\d+/, '$1'), stderr };
}

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

// qkv shortlist: learns a list from sentence pairs, which the other commands then use.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { translations } from '../translations.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const model = join(root, 'web/models/en-fr');
const qkv = (args, input = '') =>
  spawnSync(join(root, 'build/native/qkv'), args, { input, encoding: 'utf8', maxBuffer: 1 << 26 });

const pairs = translations.map(({ source, greedy }) => `${source}\t${greedy.text}`).join('\n');

let folder;
let list;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  list = join(folder, 'shortlist.bin');
  cpSync(model, folder, { recursive: true });
  rmSync(list, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

const learn = (...args) => qkv(['shortlist', '-m', model, '-o', list, ...args], pairs);

test('learns from standard input, and measures the list', () => {
  const { status, stdout, stderr } = learn('--first', '20', '--best', '5');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^pairs {8}100$/m);
  expect(Number(/^list +(\d+) of 8000 pieces/m.exec(stdout)[1])).toBeLessThan(80);
  expect(Number(/^coverage +([\d.]+) % of the targets' pieces/m.exec(stdout)[1])).toBeGreaterThan(90);
  const file = readFileSync(list);
  expect(stdout).toContain(`${file.length} bytes`);
  const words = Array.from({ length: 6 }, (_, i) => file.readBigUInt64LE(8 * i));
  expect(words[0]).toBe(0xf11a48d5013417f5n);
  expect(words.slice(2, 5)).toEqual([0n, 5n, 8001n]);
});

test('ranks the heads of the model by what it has learnt', () => {
  const { status, stdout, stderr } = learn('--rank-heads', '40');
  expect([status, stderr]).toEqual([0, '']);
  const heads = [...stdout.matchAll(/^head +layer (\d), head (\d): ([\d.]+) %$/gm)];
  expect(new Set(heads.map(([, layer, head]) => `${layer} ${head}`)).size).toBe(16);
  const shares = heads.map(([, , , share]) => Number(share));
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  const [, chosen, reached] = /^chosen +"alignment_heads": (\[.*\]): ([\d.]+) %$/m.exec(stdout);
  expect(JSON.parse(chosen).length).toBeGreaterThan(0);
  expect(Number(reached)).toBeGreaterThanOrEqual(shares[0]);
  expect(learn('--rank-heads', '40', '--threads', '3').stdout).toBe(stdout);
});

test('a file is the same as standard input, on any number of threads', () => {
  learn('--threads', '1');
  const one = readFileSync(list);
  writeFileSync(join(folder, 'pairs.tsv'), `${pairs.replaceAll('\n', '\tmore columns are left alone\n')}\n`);
  expect(learn('--threads', '3', '--pairs', join(folder, 'pairs.tsv')).status).toBe(0);
  expect(readFileSync(list).equals(one)).toBe(true);
});

test('a piece outside the shortlist is only written without the shortlist', () => {
  learn('--first', '0', '--best', '1');
  expect(qkv(['inspect', '-m', folder]).stdout).toMatch(/^shortlist +yes/m);
  expect(qkv(['inspect', '-m', model]).stdout).toMatch(
    existsSync(join(model, 'shortlist.bin')) ? /yes/ : /^shortlist +none/m,
  );
  const text = translations.map(({ source }) => source).join('\n');
  const translate = (...args) => qkv(['translate', '--beam', '1', ...args], text);
  const plain = translate('-m', model, '--no-shortlist').stdout;
  expect(translate('-m', folder).stdout).not.toBe(plain);
  expect(translate('-m', folder, '--no-shortlist').stdout).toBe(plain);
  // A list that is learnt from the model's own translations changes nothing, except where the model segments a word
  // differently from the tokenizer: the list may lack those pieces.
  const lines = plain.split('\n');
  const own = translations.map(({ source }, i) => `${source}\t${lines[i]}`).join('\n');
  qkv(['shortlist', '-m', model, '-o', list, '--first', '1000'], own);
  const changed = translate('-m', folder)
    .stdout.split('\n')
    .filter((line, i) => line !== lines[i]);
  expect(changed.length).toBeLessThanOrEqual(2);
});

test.each([
  ['a line without a tab', 'a\tb\nno tab\n', [], /^qkv: standard input, line 2: SOURCE<TAB>TARGET was expected\n$/],
  ['nothing', '', [], /^qkv: standard input has no pairs\n$/],
  ['no file', '', ['--pairs', '/no/such.tsv'], /^qkv: \/no\/such\.tsv cannot be read: .+\n$/],
  ['a folder', '', ['--pairs', tmpdir()], /^qkv: .* is not a regular file; .+\n$/],
  [
    'no place to write',
    'a\tb\n',
    ['-o', '/no/such/folder/list'],
    /^qkv: INVALID_FILE: \/no\/such\/folder\/list: cannot be written: No such file or directory\n$/,
  ],
])('reports the problem on one line: %s', (_, input, args, says) => {
  const output = args.includes('-o') ? [] : ['-o', list];
  const { status, stdout, stderr } = qkv(['shortlist', '-m', model, ...output, ...args], input);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(says);
});

test('invalid UTF-8 is accepted', () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0x00, 0x80, 0x09, 0xc3, 0x0a, 0x09, 0x0a]), Buffer.from(pairs)]);
  const { status, stdout } = qkv(['shortlist', '-m', model, '-o', list], bytes);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^pairs {8}102$/m);
});

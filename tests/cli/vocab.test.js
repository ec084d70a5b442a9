// qkv vocab: learns a vocabulary that SentencePiece itself reads the same way, or takes an existing one.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { translations } from '../translations.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = (program, args, input = '') => {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 1 << 26 });
  return { status, stdout, stderr };
};
const qkv = (args) => run(join(root, 'build/native/qkv'), ['vocab', ...args]);

const lines = translations.map(({ source, greedy }) => `${source}\t${greedy.text}`);
const texts = [
  ...translations.map(({ source }) => source),
  ...translations.map(({ greedy }) => greedy.text),
  'Ünseen ｆｕｌｌ width, ﬁ and  two   spaces…',
  '日本語 😀 and\ttabs',
  '',
];

let folder;
let data;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  data = join(folder, 'pairs.tsv.gz');
  writeFileSync(data, gzipSync(lines.join('\n')));
});
afterAll(() => rmSync(folder, { recursive: true }));

const learn = (name, ...args) => {
  const output = join(folder, name);
  return { output, ...qkv(['--data', data, '-o', output, ...args]) };
};

describe.each([
  ['encoder', ['[SEP]', '[UNK]', '[CLS]', '[MASK]', '[PAD]']],
  ['decoder', ['<|endoftext|>', '[UNK]']],
])('--for %s', (reader, special) => {
  test('writes one tokenizer.json of as many pieces as are asked for, and nothing else', () => {
    const { output, status, stdout } = learn(reader, '--for', reader, '--size', '256');
    expect(status).toBe(0);
    expect(stdout).toContain('256 pieces');
    expect(existsSync(join(output, 'source.spm'))).toBe(false);
    const { added_tokens: added, model } = JSON.parse(readFileSync(join(output, 'tokenizer.json'), 'utf8'));
    expect(added.map(({ content }) => content)).toEqual(special);
    expect(Math.max(model.vocab.length - 1, ...added.map(({ id }) => id))).toBe(255);
  });

  test('learns from one column, and refuses options that do not go together', () => {
    const french = learn(`${reader}-2`, '--for', reader, '--size', '256', '--column', '2');
    const english = learn(`${reader}-1`, '--for', reader, '--size', '256');
    const json = ({ output }) => readFileSync(join(output, 'tokenizer.json'), 'utf8');
    expect(json(french)).not.toBe(json(english));
    expect(learn('bpe-one-sided', '--for', reader, '--size', '256', '--type', 'bpe').stderr).toContain('unigram');
    expect(learn('pairs-column', '--size', '256', '--column', '2').stderr).toContain('--column goes with');
  });
});

describe.each([
  ['unigram', []],
  ['bpe', []],
  ['unigram', ['--byte-fallback']],
])('%s %s', (type, more) => {
  const size = more.length > 0 ? 512 : 256;

  test('is as SentencePiece reads it, piece by piece', () => {
    const { output, status, stdout } = learn(`${type}${more}`, '--type', type, '--size', String(size), ...more);
    expect(status).toBe(0);
    expect(stdout).toContain(`${size - 1} pieces for both sides`);
    const model = join(output, 'source.spm');
    const theirs = run('spm_encode', [`--model=${model}`, '--output_format=id'], texts.join('\n') + '\n').stdout;
    const ours = run(join(root, 'build/native/spm_dump'), [model], texts.join('\n') + '\n').stdout;
    const ids = ours
      .split('\n')
      .filter((_, i) => i % 2 === 0)
      .map((line) => line.replaceAll(/:\d+:\d+/g, ''));
    expect(ids.slice(0, texts.length)).toEqual(theirs.split('\n').slice(0, texts.length));
    expect(theirs.split(/\s+/).length).toBeGreaterThan(1000);
  });

  test('vocab.json names every row, as MarianMT lays it out', () => {
    const { output } = learn(`${type}${more}json`, '--type', type, '--size', String(size), ...more);
    const vocabulary = JSON.parse(readFileSync(join(output, 'vocab.json'), 'utf8'));
    expect(vocabulary['</s>']).toBe(0);
    expect(vocabulary['<unk>']).toBe(1);
    expect(vocabulary['<pad>']).toBe(size - 1);
    expect(Object.values(vocabulary).sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
    expect('<0x0A>' in vocabulary).toBe(more.length > 0);
    expect(existsSync(join(output, 'target.spm'))).toBe(false);
  });
});

test('a second run gives the same vocabulary', () => {
  const [a, b] = ['first', 'second'].map((name) => learn(name, '--size', '256').output);
  expect(readFileSync(join(a, 'vocab.json')).equals(readFileSync(join(b, 'vocab.json')))).toBe(true);
});

test('uses given SentencePiece models, also one for each side', () => {
  const source = join(root, 'tests/goldens/models/tiny-f16/source.spm');
  const target = join(root, 'tests/goldens/models/tiny-f16/target.spm');
  const output = join(folder, 'taken');
  expect(qkv(['--spm', source, '--target-spm', target, '-o', output]).status).toBe(0);
  expect(readFileSync(join(output, 'source.spm')).equals(readFileSync(source))).toBe(true);
  expect(readFileSync(join(output, 'target.spm')).equals(readFileSync(target))).toBe(true);
  const vocabulary = JSON.parse(readFileSync(join(output, 'vocab.json'), 'utf8'));
  expect((vocabulary['<pad>'] + 1) % 8).toBe(0);
  expect(new Set(Object.values(vocabulary)).size).toBe(Object.keys(vocabulary).length);
  // A joint vocabulary in the same folder leaves no old target.spm behind.
  expect(qkv(['--spm', source, '-o', output]).status).toBe(0);
  expect(existsSync(join(output, 'target.spm'))).toBe(false);
});

test('counts the pieces of pairs', () => {
  const { stdout } = learn('measured', '--size', '256', '--measure', data);
  expect(stdout).toMatch(/pairs\.tsv\.gz: 100 pairs, [\d.]+ \+ [\d.]+ pieces each, the longest side \d+; 0\.000 %/);
});

test.each([
  ['no data', [], 2, /^qkv: there is nothing to learn from: give --data, or a .spm file with --spm\n$/],
  [
    'a size that is not a multiple of 8',
    ['--data', 'DATA', '--size', '250'],
    2,
    /^qkv: --size must be a multiple of 8/,
  ],
  ['no such file', ['--data', '/no/such'], 1, /^qkv: MISSING_FILE: \/no\/such: it cannot be read: .+\n$/],
  ['more pieces than the text has', ['--data', 'DATA', '--size', '80000'], 1, /^qkv: SentencePiece cannot learn/m],
  ['no model', ['--spm', 'DATA'], 1, /^qkv: INVALID_FILE: .*pairs\.tsv\.gz/],
  ['no text', ['--data', '/dev/null'], 1, /^qkv: INVALID_FILE: \/dev\/null: it is not a regular file/],
])('reports the problem on one line: %s', (_, args, code, says) => {
  const { status, stdout, stderr } = qkv([
    ...args.map((arg) => (arg === 'DATA' ? data : arg)),
    '-o',
    join(folder, 'x'),
  ]);
  expect([status, stdout]).toEqual([code, '']);
  expect(stderr).toMatch(says);
});

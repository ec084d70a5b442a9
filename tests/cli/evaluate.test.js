// qkv evaluate: measures files and models, and compares them.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { translations } from '../translations.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const model = join(root, 'web/models/en-fr');
const command = join(root, 'build/native/qkv');
const qkv = (args, input = '') => spawnSync(command, args, { input, encoding: 'utf8', maxBuffer: 1 << 26 });

// References that differ from what the model writes: every third lacks its last word.
const some = translations.slice(0, 40);
const reference = (text, i) => (i % 3 === 0 ? text.split(' ').slice(0, -1).join(' ') || text : text);
const pairs = some.map(({ source, greedy }, i) => [source, reference(greedy.text, i)]);

let folder;
let data;
const write = (name, lines) => {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  data = write(
    'dev.tsv',
    pairs.map((pair) => pair.join('\t')),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const evaluate = (...args) => qkv(['evaluate', '--data', data, ...args]);
const json = (...args) => {
  const { status, stdout, stderr } = evaluate('--json', ...args);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

test('evaluating a model gives the same scores as evaluating a file of its translations', () => {
  const sources = pairs.map(([source]) => source).join('\n');
  const written = qkv(['translate', '-m', model, '--beam', '2'], sources).stdout.trimEnd().split('\n');
  const { systems } = json(model, '--beam', '2', '--hypotheses', write('hypotheses', written));
  expect(systems.map(({ name }) => name)).toEqual([model, join(folder, 'hypotheses')]);
  const [first, second] = systems;
  expect(second.bleu.score).toBe(first.bleu.score);
  expect(second.chrf.score).toBe(first.chrf.score);
  expect(second.bleu.pValue).toBe(1);
  expect(first.bleu.score).toBeGreaterThan(20);
  expect(first.bleu.score).toBeLessThan(100);
  expect(first.byLength.reduce((sum, { sentences }) => sum + sentences, 0)).toBe(40);
  expect(second.perplexity).toBeUndefined();
});

test('the table has the requested lengths', () => {
  const rows = (...args) => json(...args, '--hypotheses', data).systems[0].byLength;
  const words = pairs.map(([source]) => source.split(' ').length);
  const counted = (from, to) => words.filter((count) => count >= from && count <= to).length;
  const [first, second, last] = rows('--lengths', '4,7');
  expect(first).toMatchObject({ from: 0, to: 4, sentences: counted(1, 4) });
  expect(second).toMatchObject({ from: 5, to: 7, sentences: counted(5, 7) });
  expect(last).toMatchObject({ from: 8, sentences: counted(8, Infinity) });
  const { status, stderr } = evaluate('--lengths', '7,7', '--hypotheses', data);
  expect([status, stderr]).toEqual([2, expect.stringContaining('--lengths must increase')]);
});

test('perplexity is that of qkv score', () => {
  const scores = qkv(['score', '-m', model, '--pieces'], pairs.map((pair) => pair.join('\t')).join('\n')).stdout;
  const lines = scores.trimEnd().split('\n');
  const sum = lines.reduce((all, line) => all + Number(line.split('\t')[0]), 0);
  const pieces = lines.reduce((all, line) => all + line.split('\t').length - 1, 0);
  const { perplexity } = json(model, '--beam', '1').systems[0];
  expect(perplexity.pieces).toBe(pieces);
  expect(perplexity.logProb).toBeCloseTo(sum, 3);
  expect(perplexity.piece).toBeCloseTo(Math.exp(-sum / pieces), 5);
  expect(perplexity.words).toBe(pairs.reduce((all, [, target]) => all + target.split(/\s+/).length + 1, 0));
});

test('the references themselves score 100, and worse translations significantly less', () => {
  const references = pairs.map(([, target]) => target);
  const spoilt = references.map((text) => text.replaceAll(/[aeiou]/g, 'x'));
  const { systems } = json('--hypotheses', write('same', references), write('spoilt', spoilt));
  expect(systems[0].bleu.score).toBeCloseTo(100, 9);
  expect(systems[0].chrf.score).toBeCloseTo(100, 9);
  expect(systems[1].bleu.pValue).toBeLessThan(0.01);
  expect(systems[1].bleu.better).toBe(0);
});

test('prints the signature of sacreBLEU', () => {
  const { status, stdout, stderr } = evaluate('--hypotheses', write('empty', Array(40).fill('')), '--seed', '7');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /BLEU\|nrefs:1\|bs:1000\|seed:7\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|version:qkv-\S+ = 0\.00 .*\+- 0\.00/,
  );
  expect(stdout).toMatch(/chrF2\|nrefs:1\|bs:1000\|seed:7\|case:mixed\|eff:yes\|nc:6\|nw:0\|space:no\|version:qkv-/);
});

test('joins consecutive pairs', () => {
  const references = pairs.map(([, target]) => target);
  const joined = Array.from({ length: 14 }, (_, i) => references.slice(3 * i, 3 * i + 3).join(' '));
  const result = json('--join', '3', '--hypotheses', write('joined', joined));
  expect([result.pairs, result.join]).toEqual([14, 3]);
  expect(result.systems[0].bleu.score).toBeCloseTo(100, 9);
});

test.each([
  ['nothing to measure', [], 2, /^qkv: give a model folder, or --hypotheses\n$/],
  ['too few lines', ['--hypotheses', 'SHORT'], 1, /^qkv: .*short has 1 lines, and the data have 40 pairs\n$/],
  ['no such model', ['/no/such/model'], 1, /^qkv: MISSING_FILE: .+\n$/],
  ['no such data', ['--data', '/no/such', model], 1, /^qkv: MISSING_FILE: \/no\/such: .+\n$/],
  ['no pair', ['--data', 'EMPTY', model], 1, /^qkv: .*nothing has no pairs\n$/],
])('reports the problem on one line: %s', (_, args, code, says) => {
  const places = { SHORT: write('short', ['a']), EMPTY: write('nothing', []) };
  const all = args.map((arg) => places[arg] ?? arg);
  const { status, stdout, stderr } = qkv(['evaluate', ...(args[0] === '--data' ? [] : ['--data', data]), ...all]);
  expect([status, stdout]).toEqual([code, '']);
  expect(stderr).toMatch(says);
});

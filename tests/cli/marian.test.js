// The commands with a folder of Marian's own files, as Firefox has them.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const at = (name) => join(root, 'tests/goldens/marian', name);
const qkv = (args, input = '') => spawnSync(join(root, 'build/native/qkv'), args, { input, encoding: 'utf8' });
const { goldens } = JSON.parse(readFileSync(join(at('ssru-f16'), 'goldens.json'), 'utf8'));
const numbers = new Float64Array(new Uint8Array(readFileSync(join(at('ssru-f16'), 'goldens.bin'))).buffer);
const text = `${goldens.map((golden) => golden.text).join('\n')}\n`;

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('translate writes what NumPy does, from the shortlist and from all pieces', () => {
  for (const [name, options] of [
    ['shortlist', []],
    ['whole', ['--no-shortlist']],
  ]) {
    const { status, stdout, stderr } = qkv(['translate', '-m', at('ssru-f16'), '--no-copy', ...options], text);
    expect([status, stderr.replace(/^qkv: line \d+ reached its maximum length and was cut\n/gm, '')]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toEqual(goldens.map((golden) => golden[name].text));
  }
});

test('score gives the log-probabilities of NumPy, which never writes <unk>', () => {
  for (const golden of goldens) {
    const target = `A ${[...golden.text].reverse().slice(0, 12).join('')}`;
    const { stdout } = qkv(['score', '-m', at('ssru-f16'), '--pieces'], `${golden.text}\t${target}\n`);
    const [sum, ...pieces] = stdout.trimEnd().split('\t');
    const ours = pieces.map((piece) => Number(piece.slice(piece.lastIndexOf(' ') + 1)));
    const { shape, offset } = golden.log_probs;
    expect(ours).toHaveLength(shape[0]);
    if (Number.isFinite(Number(sum)))
      expect(Number(sum)).toBeCloseTo(
        ours.reduce((a, b) => a + b),
        3,
      );
    ours.forEach((value, i) => {
      const theirs = numbers[offset + i];
      if (Number.isFinite(theirs)) expect(Math.abs(value - theirs)).toBeLessThan(1e-3);
      else expect(value).toBeNaN(); // "-inf": <unk>
    });
  }
});

test('trace has the weights of NumPy, and for an SSRU the share of each row that is left', () => {
  const golden = goldens.find(({ cross }) => cross);
  const file = join(folder, 'trace.json');
  const { status } = qkv(['translate', '-m', at('ssru-f16'), '--trace', file], `${golden.text}\n`);
  expect(status).toBe(0);
  const trace = JSON.parse(readFileSync(file, 'utf8'));
  expect([...trace.source.ids]).toEqual(golden.source_ids);
  const [units, kept] = [trace.gates.shape, trace.gates.data.flat(Infinity)];
  expect(units).toEqual([1, 1, trace.target.ids.length, 12]);
  expect(kept.every((gate) => gate > 0 && gate < 1)).toBe(true);
  const [layers, maps, rows] = trace.decoderSelf.shape;
  expect([layers, maps, rows]).toEqual([1, 1, trace.target.ids.length]);
  const { shape, offset } = golden.encoder_self;
  expect(trace.encoderSelf.shape).toEqual(shape);
  const expected = numbers.subarray(offset, offset + shape.reduce((a, b) => a * b));
  trace.encoderSelf.data.flat(Infinity).forEach((weight, i) => expect(weight).toBeCloseTo(expected[i], 4));
});

test('inspect describes the file', () => {
  const { status, stdout } = qkv(['inspect', '-m', at('ssru-int8'), '--tensors']);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Transformer, encoder-decoder, post-norm, sinusoidal positions \(Marian layout\)$/m);
  expect(stdout).toMatch(/^encoder {6}2 layers, 4 heads of 4, feed-forward 24, relu$/m);
  expect(stdout).toMatch(/^ +reads its past by SSRUs$/m);
  expect(stdout).toMatch(/^vocabulary {3}321 pieces, shared by both sides, tied to the output$/m);
  expect(stdout).toMatch(/^numbers {6}int8$/m);
  expect(stdout).toMatch(/^shortlist {4}yes$/m);
  expect(stdout).toMatch(/^alignment {4}layer 1 head 0/m);
  expect(stdout).toMatch(/ssru\.forget\.weight +\[16, 16\]/);
  expect(qkv(['inspect', '-m', at('ssru-pre-norm')]).stdout).toMatch(/pre-norm.*\n.*silu/);
  const trained = qkv(['inspect', '-m', at('trained-positions')]).stdout;
  expect(trained).toMatch(/trained positions[^]*quick_gelu[^]*^positions {4}40$[^]*^numbers {6}floats$/m);
});

test('--then gives the same translation as two commands in a pipe', () => {
  const [one, two] = [at('ssru-f16'), at('self-attention-f32')];
  const how = ['--no-copy', '--confidence'];
  const between = qkv(['translate', '-m', one, '--no-copy'], text).stdout;
  const apart = qkv(['translate', '-m', two, ...how], between).stdout.split('\n');
  const first = qkv(['translate', '-m', one, ...how], text).stdout.split('\n');
  const { status, stdout } = qkv(['translate', '-m', one, '--then', two, ...how], text);
  expect(status).toBe(0);
  const lines = stdout.split('\n');
  expect(lines.map((line) => line.split('\t')[1])).toEqual(apart.map((line) => line.split('\t')[1]));
  goldens.forEach((_, i) => {
    const [joined, ...each] = [lines, first, apart].map((all) => Number(all[i].split('\t')[0]));
    expect(Math.abs(joined - each[0] * each[1])).toBeLessThan(2e-4);
  });
  expect(qkv(['translate', '-m', one, '--then', join(folder, 'none')], text).status).toBe(1);
  expect(qkv(['translate', '-m', one, '--then', two, '--trace', join(folder, 't')], text).status).toBe(2);
});

test('a term that the first model writes as its translation stays in the second’s', () => {
  const terms = join(folder, 'terms.tsv');
  writeFileSync(terms, 'raining\tZZZ\n');
  const args = [
    'translate',
    '-m',
    join(root, 'web/models/en-fr'),
    '--then',
    join(root, 'web/models/en-de'),
    '--glossary',
    terms,
  ];
  expect(qkv(args, 'It is raining.\n').stdout).toMatch(/ZZZ/);
});

test('a damaged file is refused by name', () => {
  writeFileSync(join(folder, 'model.xxyy.bin'), readFileSync(join(at('ssru-f16'), 'model.xxyy.bin')).subarray(0, 999));
  const without = qkv(['translate', '-m', folder], 'A.\n');
  expect([without.status, without.stderr]).toEqual([1, expect.stringMatching(/MISSING_FILE.*vocab\.\*\.spm/)]);
  writeFileSync(join(folder, 'vocab.xxyy.spm'), readFileSync(join(at('ssru-f16'), 'vocab.xxyy.spm')));
  const cut = qkv(['translate', '-m', folder], 'A.\n');
  expect([cut.status, cut.stderr]).toEqual([1, expect.stringMatching(/INVALID_FILE: model\.xxyy\.bin/)]);
});

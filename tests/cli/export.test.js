// qkv export: a model folder in, the same model in Marian's or Hugging Face's files out.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const floats = join(root, 'tests/goldens/en-fr');
const qkv = (args, input = '') => spawnSync(join(root, 'build/native/qkv'), args, { input, encoding: 'utf8' });
const kPairs = ["I love you.\tJe t'aime.", 'It is raining.\tIl pleut.', 'No.\tNon.'];
const kScoring = `${kPairs.join('\n')}\n`;
const kSources = kScoring.replaceAll(/\t.*/g, '');

let folder;
let model;
const scores = (name) => qkv(['score', '-m', name, '--pieces'], kScoring);
const exported = (...args) => qkv(['export', ...args]);

/** A small model with an SSRU, trained for a few steps. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  model = join(folder, 'run', 'model');
  writeFileSync(join(folder, 'pairs.tsv'), kScoring);
  const run = {
    out: 'run',
    vocabulary: floats,
    corpora: [{ path: 'pairs.tsv' }],
    dev: 'pairs.tsv',
    preset: 'tiny-ssru',
    model: { d_model: 64, encoder_layers: 1, decoder_layers: 2, encoder_ffn_dim: 64, decoder_ffn_dim: 128 },
    batch: { tokens: 64 },
    schedule: { peak: 0.01, warmup: 2 },
    steps: 12,
    log: { every: 4 },
  };
  writeFileSync(join(folder, 'run.json'), JSON.stringify(run));
  const trained = qkv(['train', join(folder, 'run.json')]);
  expect([trained.status, trained.stderr]).toEqual([0, expect.any(String)]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The largest difference between the numbers of two outputs. */
function distance(ours, theirs) {
  const read = (text) => text.match(/-?\d+(\.\d+)?(e-?\d+)?/g).map(Number);
  const [a, b] = [read(ours), read(theirs)];
  expect(a.length).toBe(b.length);
  return Math.max(...a.map((value, i) => Math.abs(value - b[i])));
}

test('Marian’s files in float32 translate alike, and score nearly alike: they have no row for <pad>', () => {
  const out = join(folder, 'marian');
  const { status, stdout, stderr } = exported('--marian', '--pair', 'enfr', model, out);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/model\.enfr\.bin: 2\.\d MB\n$/);
  expect(readdirSync(out)).toEqual(expect.arrayContaining(['model.enfr.bin', 'vocab.enfr.spm']));
  const { stdout: inspected } = qkv(['inspect', '-m', out]);
  expect(inspected).toMatch(/reads its past by SSRUs/);
  expect(inspected).toMatch(/8001 pieces/); // 7,999 rounded up to a multiple of eight, and the start
  const translated = (name) => qkv(['translate', '-m', name, '--beam', '1', '--max-length', '8'], kSources).stdout;
  expect(translated(out)).toBe(translated(model));
  expect(distance(scores(model).stdout, scores(out).stdout)).toBeLessThan(1e-3);
});

test('Marian’s files in int8, calibrated on given texts, translate nearly alike', () => {
  const out = join(folder, 'int8');
  const { status, stdout } = exported('--marian', '--int8', join(folder, 'pairs.tsv'), model, out);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/model\.xxyy\.intgemm\.alphas\.bin/)]);
  const bytes = statSync(join(out, 'model.xxyy.intgemm.alphas.bin')).size;
  expect(bytes).toBeLessThan(statSync(join(folder, 'marian', 'model.enfr.bin')).size / 3);
  expect(distance(scores(model).stdout, scores(out).stdout)).toBeLessThan(0.5);
  // Every matrix has a multiplier above 0.
  const file = readFileSync(join(out, 'model.xxyy.intgemm.alphas.bin'));
  expect(file.toString('latin1').match(/_QuantMultA/g).length).toBe(1 + 1 + 6 + 2 * (2 + 4 + 2));
});

test('Hugging Face’s files hold the same model in float32, and a vocabulary file for each side', () => {
  const out = join(folder, 'hf');
  expect(exported('--hf', floats, out).status).toBe(0);
  expect(readdirSync(out)).toEqual(expect.arrayContaining(['config.json', 'source.spm', 'target.spm', 'vocab.json']));
  expect(scores(out).stdout).toBe(scores(floats).stdout);
  const file = readFileSync(join(out, 'model.safetensors'));
  const header = JSON.parse(file.toString('utf8', 8, 8 + Number(file.readBigUInt64LE(0))));
  expect(header.final_logits_bias.shape).toEqual([1, header['model.shared.weight'].shape[0]]); // as in MarianMT
});

test('a field that the other program does not have is refused by name', () => {
  const refused = (...args) => {
    const { status, stderr } = exported(...args, join(folder, 'none'));
    return `${status}: ${stderr}`;
  };
  expect(refused('--marian', floats)).toMatch(/^1: .*UNSUPPORTED.*position_frequencies/);
  expect(refused('--marian', join(root, 'tests/goldens/marian/ssru-f16'))).toMatch(/^1: .*Marian's own files already/);
  expect(refused('--hf', model)).toMatch(/^1: .*self-attention/);
  expect(refused('--hf', join(root, 'web/models/compared/luong-dot'))).toMatch(/^1: .*recurrent/);
  expect(refused('--marian', '--int8', join(folder, 'nowhere.txt'), model)).toMatch(/^2: /);
  expect(refused(model)).toMatch(/^2: .*--marian or --hf/);
});

// A Marian model in NumPy's .npz: the same model as in Marian's binary file; and damaged files.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { npy, spmPieces, tensorsOf, vocabularyYaml } from '../npz.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const golden = join(root, 'tests/goldens/marian/self-attention-f32');
const qkv = (args, input = '') => spawnSync(join(root, 'build/native/qkv'), args, { input, encoding: 'utf8' });
const kText = 'My brother sings.\nIt is raining.\nNo.\n';

const numbers = (...parts) =>
  Buffer.concat(
    parts.map(([width, value]) => {
      const bytes = Buffer.alloc(width);
      bytes.writeUIntLE(value, 0, width);
      return bytes;
    }),
  );

/** The CRC-32 of PKZIP. */
function crc32(data) {
  let crc = -1;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** A zip of members {name, data}. `change` may alter a member's entry in the directory. */
function zip(members, { deflate = false, change = (entry) => entry } = {}) {
  const files = [];
  const list = [];
  let at = 0;
  for (const { name, data } of members) {
    const packed = deflate ? deflateRawSync(data) : data;
    const fields = {
      method: deflate ? 8 : 0,
      flags: 0,
      packed: packed.length,
      size: data.length,
      at,
      crc: crc32(data),
    };
    const entry = change({ name, ...fields });
    const sizes = [
      [4, entry.crc],
      [4, entry.packed],
      [4, entry.size],
    ];
    const head = numbers(
      [4, 0x04034b50],
      [2, 20],
      [2, 0],
      [2, entry.method],
      [4, 0],
      ...sizes,
      [2, name.length],
      [2, 0],
    );
    files.push(head, Buffer.from(name), packed);
    const begin = numbers([4, 0x02014b50], [2, 20], [2, 20], [2, entry.flags], [2, entry.method], [4, 0], ...sizes);
    list.push(
      begin,
      numbers([2, name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, entry.at]),
      Buffer.from(name),
    );
    at += head.length + name.length + packed.length;
  }
  const size = list.reduce((sum, part) => sum + part.length, 0);
  const count = members.length;
  return Buffer.concat([
    ...files,
    ...list,
    numbers([4, 0x06054b50], [4, 0], [2, count], [2, count], [4, size], [4, at], [2, 0]),
  ]);
}

let folder;
let members;
const translated = (bytes) => {
  writeFileSync(join(folder, 'model.npz'), bytes);
  return qkv(['translate', '-m', folder], kText);
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  copyFileSync(join(golden, 'vocab.xxyy.spm'), join(folder, 'vocab.spm'));
  copyFileSync(join(golden, 'vocab.xxyy.spm'), join(folder, 'vocab.xxyy.spm'));
  copyFileSync(join(golden, 'lex.xxyy.s2t.bin'), join(folder, 'lex.xxyy.s2t.bin'));
  const tensors = tensorsOf(readFileSync(join(golden, 'model.xxyy.bin')));
  members = tensors.map((tensor) => ({ name: `${tensor.name}.npy`, data: npy(tensor) }));
  rmSync(join(folder, 'vocab.spm'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([false, true])('translates as the binary file does; deflated: %s', (deflate) => {
  const expected = qkv(['translate', '-m', golden], kText);
  expect(expected.status).toBe(0);
  const { status, stdout, stderr } = translated(zip(members, { deflate }));
  expect([status, stderr]).toEqual([0, expected.stderr]);
  expect(stdout).toBe(expected.stdout);
  const scores = (name) => qkv(['score', '-m', name, '--pieces'], 'It is raining.\tNo.\n').stdout;
  expect(scores(folder)).toBe(scores(golden));
});

// As OPUS-MT publishes them: decoder.yml, source.spm, target.spm, and one vocabulary for the pieces of both.
describe('a folder of OPUS-MT', () => {
  const decoder = ['models:', '  - model.npz', 'vocabs:', '  - opus.vocab.yml', '  - opus.vocab.yml'];
  const pieces = spmPieces(readFileSync(join(golden, 'vocab.xxyy.spm')));
  let opus;
  const write = (files) => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(opus, name), content);
  };
  beforeAll(() => {
    opus = mkdtempSync(join(tmpdir(), 'qkv-'));
    for (const name of ['source.spm', 'target.spm']) copyFileSync(join(golden, 'vocab.xxyy.spm'), join(opus, name));
    write({ 'model.npz': zip(members, { deflate: true }), 'opus.vocab.yml': vocabularyYaml(pieces) });
    write({ 'decoder.yml': [...decoder, 'beam-size: 1', 'normalize: 1', ''].join('\n') });
  });
  afterAll(() => rmSync(opus, { recursive: true }));

  test('translates and scores as the same model does elsewhere', () => {
    const texts = ['translate', '--no-copy', '--no-shortlist', '--max-length', '20', '-m'];
    const expected = qkv([...texts, golden], kText);
    const ours = qkv([...texts, opus], kText);
    expect([ours.status, ours.stdout]).toEqual([0, expected.stdout]);
    const scores = (name) => qkv(['score', '-m', name, '--pieces'], 'It is raining.\tNo.\n').stdout;
    expect(scores(opus)).toBe(scores(golden));
  });

  test('is decoded as decoder.yml says', () => {
    expect(qkv(['inspect', '-m', opus]).stdout).toMatch(/^decoding {5}beam 1, length penalty 1/m);
    write({ 'decoder.yml': [...decoder, 'beam-size: 6', 'normalize: 0.6', ''].join('\n') });
    expect(qkv(['inspect', '-m', opus]).stdout).toMatch(/^decoding {5}beam 6, length penalty 0\.6/m);
  });

  test.each([
    ['several models', { 'decoder.yml': 'models:\n  - a.npz\n  - b.npz\n' }, /decoder\.yml, models/],
    ['two vocabularies', { 'decoder.yml': 'vocabs:\n  - a.yml\n  - b.yml\n' }, /decoder\.yml, vocabs/],
    ['a penalty for each word', { 'decoder.yml': 'word-penalty: 0.5\n' }, /decoder\.yml, word-penalty/],
    ['a beam of none', { 'decoder.yml': 'beam-size: x\n' }, /decoder\.yml, beam-size/],
    ['a vocabulary that is elsewhere', { 'decoder.yml': 'vocabs:\n  - none.yml\n' }, /MISSING_FILE.*none\.yml/],
    [
      'a line that is no piece',
      { 'decoder.yml': decoder.join('\n'), 'opus.vocab.yml': '</s>: 0\nthe\n' },
      /opus\.vocab\.yml, line 2/,
    ],
    ['a row past the table', { 'opus.vocab.yml': '</s>: 0\n<unk>: 1\nthe: 4000\n' }, /opus\.vocab\.yml, the/],
    ['another model’s pieces', { 'opus.vocab.yml': '</s>: 0\n<unk>: 1\nqqqqq: 2\n' }, /source\.spm/],
  ])('%s: an error that names the place', (_, files, says) => {
    write(files);
    const { status, stderr } = qkv(['translate', '-m', opus], 'A.\n');
    expect([status, stderr]).toEqual([1, expect.stringMatching(says)]);
  });
});

const damaged = {
  'no zip': [() => Buffer.alloc(100), /INVALID_FILE: model\.npz: it is not a zip/],
  'a type that is not read': [
    () =>
      zip(
        members.map(({ name, data }) => ({
          name,
          data: Buffer.from(data.toString('latin1').replace('<f4', '<f8'), 'latin1'),
        })),
      ),
    /UNSUPPORTED: model\.npz, .*'<f8'/,
  ],
  'columns first': [
    () =>
      zip(
        members.map(({ name, data }) => ({
          name,
          data: Buffer.from(data.toString('latin1').replace('False', 'True '), 'latin1'),
        })),
      ),
    /UNSUPPORTED: model\.npz, .*Fortran order/,
  ],
  'a shape of more numbers than there are': [
    () =>
      zip(
        members.map(({ name, data }) => ({
          name,
          data: Buffer.from(data.toString('latin1').replace(/\((\d)/, '(9$1'), 'latin1'),
        })),
      ),
    /INVALID_FILE: model\.npz, .*(not of its shape|head of its \.npy)/,
  ],
  'another checksum': [
    () => zip(members, { change: (entry) => ({ ...entry, crc: (entry.crc ^ 1) >>> 0 }) }),
    /INVALID_FILE: model\.npz, .*checksum/,
  ],
  'a bomb': [
    () => zip(members, { deflate: true, change: (entry) => ({ ...entry, size: 0xfffffffe }) }),
    /INVALID_FILE: model\.npz, .*cannot become/,
  ],
  'an encrypted member': [
    () => zip(members, { change: (entry) => ({ ...entry, flags: 1 }) }),
    /UNSUPPORTED: model\.npz, .*stored or deflated/,
  ],
  'another compression': [
    () => zip(members, { change: (entry) => ({ ...entry, method: 14 }) }),
    /UNSUPPORTED: model\.npz, .*stored or deflated/,
  ],
  'a member past the end': [
    () => zip(members, { change: (entry) => ({ ...entry, at: 0xfffffff0 }) }),
    /INVALID_FILE: model\.npz, .*not where the list says/,
  ],
  'a missing tensor': [() => zip(members.slice(1)), /model\.npz/],
  'no options': [() => zip(members.filter(({ name }) => !name.startsWith('special'))), /special:model\.yml/],
};
test.each(Object.entries(damaged))('%s: an error that names the place', (_, [make, says]) => {
  const { status, stderr } = translated(make());
  expect([status, stderr]).toEqual([1, expect.stringMatching(says)]);
});

test('cut anywhere, or with any byte changed, it is refused or read, and nothing else happens', () => {
  const good = zip(members, { deflate: true });
  for (let at = 0; at < good.length; at += Math.ceil(good.length / 20)) {
    expect(translated(good.subarray(0, at)).status).toBe(1);
    const changed = Buffer.from(good);
    changed[at] ^= 0x55;
    expect([0, 1]).toContain(translated(changed).status);
  }
});

// A Marian model in NumPy's .npz: the same model as in Marian's binary file; and damaged files. By the native command and
// by the one for Node.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { editedZip, zip } from '../lib/zip.js';
import { npy, spmPieces, tensorsOf, vocabularyYaml } from '../npz.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const golden = join(root, 'tests/goldens/marian/self-attention-f32');
const kText = 'My brother sings.\nIt is raining.\nNo.\n';

const commands = {
  'the native command': [join(root, 'build/native/qkv')],
  'the command for Node': [process.execPath, join(root, 'build/qkv-cli/qkv.js')],
};

let folder;
let members;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  copyFileSync(join(golden, 'vocab.xxyy.spm'), join(folder, 'vocab.xxyy.spm'));
  copyFileSync(join(golden, 'lex.xxyy.s2t.bin'), join(folder, 'lex.xxyy.s2t.bin'));
  const tensors = tensorsOf(readFileSync(join(golden, 'model.xxyy.bin')));
  members = Object.fromEntries(tensors.map((tensor) => [`${tensor.name}.npy`, npy(tensor)]));
});
afterAll(() => rmSync(folder, { recursive: true }));

const edited = (from, to) => editedZip(members, from, to);
const without = (isLeftOut) => zip(Object.fromEntries(Object.entries(members).filter(([name]) => !isLeftOut(name))));
const damaged = {
  'no zip': [() => Buffer.alloc(100), /INVALID_FILE: model\.npz: it is not a zip/],
  'a type that is not read': [() => edited('<f4', '<f8'), /UNSUPPORTED: model\.npz, .*'<f8'/],
  'columns first': [() => edited('False', 'True '), /UNSUPPORTED: model\.npz, .*Fortran order/],
  'a shape of more numbers than there are': [
    () => edited(/\((\d)/, '(9$1'),
    /INVALID_FILE: model\.npz, .*(not of its shape|head of its \.npy)/,
  ],
  'another checksum': [() => zip(members, { crc: (_, sum) => sum ^ 1 }), /INVALID_FILE: model\.npz, .*checksum/],
  'a bomb': [
    () => zip(members, { deflate: true, size: () => 0xfffffffe }),
    /INVALID_FILE: model\.npz, .*cannot become/,
  ],
  'an encrypted member': [() => zip(members, { flags: 1 }), /UNSUPPORTED: model\.npz, .*stored or deflated/],
  'another compression': [() => zip(members, { method: 14 }), /UNSUPPORTED: model\.npz, .*stored or deflated/],
  'a member past the end': [
    () => zip(members, { place: () => 0xfffffff0 }),
    /INVALID_FILE: model\.npz, .*not where the list says/,
  ],
  'a missing tensor': [() => without((name) => name === Object.keys(members)[0]), /model\.npz/],
  'no options': [() => without((name) => name.startsWith('special')), /special:model\.yml/],
};

describe.each(Object.entries(commands))('%s', (_name, [program, ...first]) => {
  const qkv = (args, input = '') => spawnSync(program, [...first, ...args], { input, encoding: 'utf8' });
  const translated = (bytes) => {
    writeFileSync(join(folder, 'model.npz'), bytes);
    return qkv(['translate', '-m', folder], kText);
  };

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
});

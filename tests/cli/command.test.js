// The native command as a Unix filter: its output, its streams, its exit codes.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kSure, translations } from '../translations.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(root, 'build/native/qkv');
const model = join(root, 'web/models/en-fr');

/** Runs `qkv` with `input` on its standard input. */
const qkv = (args, input = '') => {
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
  return { status, stdout, stderr };
};
const translate = (input, ...args) => qkv(['translate', '--model', model, ...args], input);

describe('qkv translate', () => {
  test('writes one line for each line, in the same order, also for empty lines', () => {
    const { status, stdout, stderr } = translate(`I love you.\n\n   \n${kSure.text}\n`);
    expect(stdout).toBe(`Je t'aime.\n\n   \n${kSure.translation}\n`);
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test('needs no newline at the end of the input; empty input gives empty output', () => {
    expect(translate('I love you.').stdout).toBe("Je t'aime.\n");
    expect(translate('').stdout).toBe('');
  });

  test('writes the same on any number of threads and in any batch', () => {
    const lines = translations.map(({ source }) => source);
    const together = translate(lines.join('\n'), '--threads', '2').stdout.trimEnd().split('\n');
    expect(translate(lines.join('\n'), '--threads', '1').stdout.trimEnd().split('\n')).toEqual(together);
    const some = [0, 17, 42];
    expect(some.map((i) => translate(lines[i]).stdout.trimEnd())).toEqual(some.map((i) => together[i]));
  });

  test('writes the translation of each line before the next line is read', async () => {
    const child = spawn(command, ['translate', '--model', model]);
    const answer = () => new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
    child.stdin.write('I love you.\n');
    expect(await answer()).toBe("Je t'aime.\n");
    child.stdin.write('Thank you.\n');
    expect(await answer()).toMatch(/^Merci.*\n$/);
    child.stdin.end();
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
  });

  test("translates invalid UTF-8, NUL, and a line longer than the model's positions", () => {
    const { status, stdout, stderr } = spawnSync(
      command,
      ['translate', '-m', model, '--beam', '1', '--max-length', '5'],
      {
        input: Buffer.concat([
          Buffer.from([0xff, 0xfe, 0x80, 0x0a, 0x00, 0x0a]),
          Buffer.from(`${'a b '.repeat(2000)}\nI love you.\n`),
        ]),
      },
    );
    expect(status).toBe(0);
    const lines = String(stdout).split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[3]).toBe("Je t'aime");
    expect(String(stderr)).toMatch(/line 3 is longer than the model's 512 positions/);
  });

  test('reads long lines in linear time, and refuses input without lines', () => {
    const long = translate(`${'a b '.repeat(5_000_000)}\nI love you.\n`);
    expect(long.stderr).toMatch(/line 1 is longer than the model's 512 positions/);
    expect(long.stdout.split('\n')[1]).toBe("Je t'aime.");
    const endless = translate('x'.repeat(70_000_000));
    expect(endless).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('a line over 64 MiB') });
  });

  test('warns that the end of a line was not read, also with --trace', () => {
    const { status, stderr } = translate(`I love you.\n${'a b '.repeat(600)}\n`, '--trace', '/dev/null');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^qkv: line 2 is longer than the model's 512 positions/m);
    expect(stderr).not.toMatch(/line 1/);
  });

  test('writes every attention weight as JSON, one line for each text', () => {
    const folder = mkdtempSync(join(tmpdir(), 'qkv-'));
    try {
      const file = join(folder, 'trace.jsonl');
      expect(translate('I love you.\nThank you.\n', '--trace', file).status).toBe(0);
      const traces = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(traces).toHaveLength(2);
      const [{ format, source, target, cross, alignment, targetInput }] = traces;
      expect(format).toBe('qkv-trace/1');
      expect(target.text).toBe("Je t'aime.");
      expect(source.pieces).toEqual(['▁I', '▁love', '▁you', '.', '</s>']);
      expect(source.begin.map((begin, i) => source.text.slice(begin, source.end[i]))).toEqual([
        'I',
        ' love',
        ' you',
        '.',
        '',
      ]);
      expect(targetInput).toEqual(['<pad>', ...target.pieces.slice(0, -1)]);
      const [layers, heads, targets, sources] = cross.shape;
      expect([layers, heads, targets, sources]).toEqual([2, 8, target.pieces.length, source.pieces.length]);
      for (let row = 0; row < layers * heads * targets; ++row) {
        const sum = cross.data.slice(row * sources, (row + 1) * sources).reduce((a, b) => a + b, 0);
        expect(Math.abs(sum - 1)).toBeLessThan(1e-5);
      }
      expect(alignment.shape).toEqual([targets, sources]);
      expect(alignment.ranked).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('qkv score', () => {
  test('sums the log probabilities of the pieces', () => {
    const { stdout, status } = qkv(
      ['score', '-m', model, '--pieces'],
      "I love you.\tJe t'aime.\nI love you.\tLe chat.\n",
    );
    expect(status).toBe(0);
    const [good, bad] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    const sum = good.slice(1).reduce((total, piece) => total + Number(piece.split(' ').at(-1)), 0);
    expect(Number(good[0])).toBeCloseTo(sum, 4);
    expect(Number(good[0])).toBeGreaterThan(Number(bad[0]));
  });

  test('names the line that is not a pair', () => {
    const { stderr, status } = qkv(['score', '-m', model], 'a\tb\nno tab\n');
    expect(status).toBe(1);
    expect(stderr).toMatch(/line 2: SOURCE<TAB>TARGET/);
  });
});

describe('qkv scores', () => {
  test('prints a table with one line for each score', () => {
    const { status, stdout, stderr } = qkv(['scores']);
    expect([status, stderr]).toEqual([0, '']);
    const [table, lists] = stdout.split('\n\n');
    expect(table).toMatch(/^scaled-dot {2}q'k \/ sqrt\(d\) +Vaswani et al. 2017$/m);
    expect(table).toMatch(/^general +q'W k +Luong et al. 2015 +W \[queryDim, keyDim\]$/m);
    expect(table).toMatch(/^cosine .* \(temperature \[1, 1\]\)$/m);
    expect(lists).toBe(
      'selections  soft  argmax  sampled  gate  max-pool  sparsemax  entmax\nwindows     global  local-m  local-p\n',
    );
  });

  test('prints the lists of the JavaScript library as JSON', async () => {
    const { scores, selections, windows } = await import('../../web/lib/attention/index.js');
    const { status, stdout } = qkv(['scores', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      scores: await scores(),
      selections: await selections(),
      windows: await windows(),
    });
  });
});

describe('qkv', () => {
  test('inspects a folder', () => {
    const { stdout, status } = qkv(['inspect', '-m', model, '--tensors']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/parameters {3}7321920/);
    expect(stdout).toMatch(/model\.decoder\.layers\.1\.fc1\.weight +\[1024, 256\]/);
  });

  test("takes the model's folder from the environment; reports a missing folder on one line", () => {
    const env = { ...process.env, QKV_MODEL: '/no/such/folder' };
    const { status, stdout, stderr } = spawnSync(command, ['translate'], { env, input: 'a\n', encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^qkv: MISSING_FILE: \/no\/such\/folder\/config\.json: [^\n]+\n$/);
  });

  test('exits with 2 for a wrong command line, and with 0 for --help', () => {
    expect(qkv(['translate', '-m', model, '--beam', '0']).status).toBe(2);
    expect(qkv(['fly']).status).toBe(2);
    expect(qkv([]).status).toBe(2);
    const help = qkv(['--help']);
    expect(help.status).toBe(0);
    expect(help.stdout).toMatch(/Exit codes/);
    expect(qkv(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

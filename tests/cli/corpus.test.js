// `qkv translate` over files: TSV and JSON lines, gzip, and outputs that an interrupted run has left.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { at } from '../../web/tools/common.mjs';

const command = at('build/native/qkv');
const model = at('web/models/en-fr');
const translate = (input, ...options) =>
  spawnSync(command, ['translate', '--model', model, '--beam', '1', ...options], { input, encoding: 'utf8' });

const sources = ['I love you.', 'How are you?', 'My dog is old.', 'We are late.', 'She sings well.'];
const plain = translate(`${sources.join('\n')}\n`).stdout;
const targets = plain.trimEnd().split('\n');

const folder = mkdtempSync(join(tmpdir(), 'qkv-corpus-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = (suffix = '') => join(folder, `${++files}${suffix}`);
function written(content, suffix) {
  const path = fresh(suffix);
  writeFileSync(path, content);
  return path;
}
const input = written(`${sources.join('\n')}\n`);

test('a column of TSV: the others stay, the translation is the last', () => {
  const { status, stdout, stderr } = translate('1\tI love you.\t"a"\n2\tHow are you?\t\r\n', '--tsv', '2');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`1\tI love you.\t"a"\t${targets[0]}\n2\tHow are you?\t\t${targets[1]}\r\n`);
});

test('a field of JSON: what else a line has stays to the byte', () => {
  const lines = [
    '{"id": 12345678901234567890123, "x": 1.50, "text": "I love you."}',
    ' { "text" : "How are\\nyou?" , "more": {"a": [null, true]} } ',
  ];
  const { status, stdout, stderr } = translate(`${lines.join('\n')}\n`, '--jsonl', 'text', '--confidence');
  expect([status, stderr]).toEqual([0, '']);
  const out = stdout.trimEnd().split('\n');
  expect(out.map((line) => JSON.parse(line).translation)).toEqual([targets[0], targets[1]]);
  for (const [i, line] of lines.entries()) {
    expect(out[i].startsWith(line.slice(0, line.lastIndexOf('}')))).toBe(true);
    expect(JSON.parse(out[i]).confidence).toBeGreaterThan(0.5);
  }
});

test.each([
  ['a missing column', ['--tsv', '3'], 'a\tb\tc\nd\te\n', 'line 2 of the input has no column 3'],
  ['a missing field', ['--jsonl', 'text'], '{"text": "a"}\n{"texts": "b"}\n', 'line 2 of the input has no text "text"'],
  ['a field that is no text', ['--jsonl', 'text'], '{"text": null}\n', 'line 1 of the input has no text "text"'],
  ['no JSON', ['--jsonl', 'text'], '{"text": "a"\n', 'line 1 of the input is no JSON: '],
  ['an array', ['--jsonl', 'text'], '["text"]\n', 'line 1 of the input is no JSON object'],
  ['a lone surrogate', ['--jsonl', 'text'], '{"text": "\\ud800"}\n', 'line 1 of the input is no JSON: '],
  ['deep nesting', ['--jsonl', 'text'], `${'['.repeat(1e6)}\n`, 'line 1 of the input is no JSON: '],
  ['a field in the way', ['--jsonl', 'a'], '{"a": "b", "translation": 1}\n', 'has a field "translation" already'],
])('%s is an error that names the line', (_, options, text, message) => {
  const { status, stderr } = translate(text, ...options);
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
});

describe('files', () => {
  test('are read plain or compressed, and written so', () => {
    const packed = written(gzipSync(`${sources.join('\n')}\n`), '.gz');
    for (const from of [input, packed]) {
      for (const to of [fresh(), fresh('.gz')]) {
        const { status, stdout, stderr } = translate('', '--input', from, '--output', to);
        expect([status, stdout, stderr]).toEqual([0, '', '']);
        const bytes = readFileSync(to);
        expect(String(to.endsWith('.gz') ? gunzipSync(bytes) : bytes)).toBe(plain);
      }
    }
  });

  test('that exist are not written over', () => {
    const to = written('kept');
    const { status, stderr } = translate('', '--input', input, '--output', to);
    expect([status, stderr, readFileSync(to, 'utf8')]).toEqual([1, expect.stringMatching(/exists.*--resume/), 'kept']);
  });

  test('that are missing or damaged are errors', () => {
    expect(translate('', '--input', fresh()).stderr).toMatch(/cannot be read: No such file/);
    const whole = gzipSync(Array.from({ length: 2000 }, (_, i) => `I have ${i} dogs.\n`).join(''));
    const { status, stderr } = translate('', '--input', written(whole.subarray(0, 3000), '.gz'));
    expect([status, stderr]).toEqual([1, expect.stringMatching(/\.gz: the gzip data is damaged: .*/)]);
    expect(translate('', '--input', folder).stderr).toMatch(/cannot be read: .*directory/);
    expect(translate('', '--input', input, '--output', join(folder, 'none/out')).stderr).toMatch(/cannot be written/);
  });

  test('that cannot grow are errors, as on a full disk', () => {
    const many = written('I love you.\n'.repeat(500));
    for (const to of [fresh(), fresh('.gz')]) {
      const run = `trap '' XFSZ; ulimit -f 0; exec "$0" translate -m "$1" --beam 1 --input "$2" --output "$3"`;
      const { status, stderr } = spawnSync('sh', ['-c', run, command, model, many, to], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, expect.stringMatching(/cannot be written: File too large/)]);
    }
  });
});

describe('--resume', () => {
  test.each([0, 1, 12, 40, plain.length - 1, plain.length])('continues after %i bytes', (bytes) => {
    const to = written(plain.slice(0, bytes));
    const { status, stderr } = translate('', '--input', input, '--output', to, '--resume');
    expect([status, stderr, readFileSync(to, 'utf8')]).toEqual([0, '', plain]);
  });

  test('begins an output that is missing, and reads a pipe', () => {
    const to = fresh();
    expect(translate(`${sources.join('\n')}\n`, '--output', to, '--resume').status).toBe(0);
    expect(readFileSync(to, 'utf8')).toBe(plain);
  });

  test.each([
    ['of another input', 'Bonjour.\nSalut.\n', /line 1 of .* is not what this input, model and options give/],
    ['that is longer than the input', plain + plain, /has more lines than the input/],
  ])('refuses an output %s', (_, content, message) => {
    const to = written(content);
    const { status, stderr } = translate('', '--input', input, '--output', to, '--resume');
    expect([status, stderr, readFileSync(to, 'utf8')]).toEqual([1, expect.stringMatching(message), content]);
  });

  test('refuses a compressed output, a device, and an output without a name', () => {
    expect(translate('', '--output', fresh('.gz'), '--resume').status).toBe(2);
    expect(translate('', '--resume').status).toBe(2);
    expect(translate('', '--output', '/dev/full', '--resume').stderr).toMatch(/cannot be continued: it is no file/);
  });

  test('a run that was killed continues to the same bytes', async () => {
    const many = written(Array.from({ length: 4000 }, (_, i) => `${sources[i % 5]}\n`).join(''));
    const whole = fresh();
    expect(translate('', '--input', many, '--output', whole).status).toBe(0);
    const to = fresh();
    const child = spawn(command, ['translate', '-m', model, '--beam', '1', '--input', many, '--output', to]);
    const ended = new Promise((resolve) => child.on('exit', resolve));
    while (!statSync(to, { throwIfNoEntry: false })?.size) await setTimeout(5);
    child.kill('SIGKILL');
    await ended;
    expect(statSync(to).size).toBeLessThan(statSync(whole).size);
    truncateSync(to, statSync(to).size - 1); // a line without its end
    expect(translate('', '--input', many, '--output', to, '--resume').status).toBe(0);
    expect(readFileSync(to).equals(readFileSync(whole))).toBe(true);
  }, 60_000);

  test('one process at a time writes an output', async () => {
    const to = fresh();
    const child = spawn(command, ['translate', '-m', model, '--output', to]);
    while (!statSync(to, { throwIfNoEntry: false })) await setTimeout(5);
    await setTimeout(50);
    const { status, stderr } = translate('', '--input', input, '--output', to, '--resume');
    expect([status, stderr]).toEqual([1, expect.stringMatching(/is being written by another process/)]);
    child.stdin.end();
    await new Promise((resolve) => child.on('exit', resolve));
  });
});

test('--progress says how far it is, and what is left', () => {
  const { status, stderr } = translate('', '--input', input, '--progress');
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^qkv: 5 lines, \d+ lines\/s\n$/)]);
});

// What qkv translate carries through: the caller's terms, also hostile ones, and its messages where it cannot.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'qkv-carried-'));
afterAll(() => rmSync(folder, { recursive: true }));

const translate = (model, input, ...args) => {
  const all = ['translate', '--model', join(root, model), '--threads', '1', ...args];
  return spawnSync(join(root, 'build/native/qkv'), all, { input, encoding: 'utf8' });
};
const kModel = 'web/models/en-fr';
/** A glossary with these lines, as an option. */
const glossary = (...lines) => {
  const path = join(folder, 'glossary.tsv');
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return ['--glossary', path];
};

test('terms are found as whole words; of overlapping terms the longest is used; a term may be markup', () => {
  const terms = glossary('Ann\t<b>A&B</b>', 'Ann Bell\t\\0${x}', 'Bell is\tZ');
  const { status, stdout } = translate(kModel, 'Ann saw Annas and Ann Bell is here.\n', ...terms);
  expect(status).toBe(0);
  for (const translation of ['<b>A&B</b>', '\\0${x}']) expect(stdout.split(translation)).toHaveLength(2);
  expect(stdout).not.toContain('Z');
});

test('terms without a name are refused', () => {
  expect(translate(kModel, 'a\n', '--keep', '')).toMatchObject({ status: 2, stdout: '' });
  const { status, stderr } = translate(kModel, 'a\n', ...glossary('a\tb', '\tc'));
  expect([status, stderr]).toEqual([1, expect.stringMatching(/line 2: TERM<TAB>TRANSLATION was expected/)]);
});

test('10,000 terms and a line of 10,000 tokens take at most seconds', () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `name${i}x`);
  const terms = glossary(...names.map((name) => `${name}\t@${name}`));
  const line = names.map((name) => `see ${name} and 5,`).join(' ');
  const { status, stdout, stderr } = translate(kModel, `${line}\nThank you!\n`, '--max-length', '40', ...terms);
  expect(status).toBe(0);
  expect(stderr).toMatch(/line 1 is longer than the model's 512 positions/);
  const [long, short] = stdout.split('\n');
  expect(long).toContain('@name0x');
  expect(short).toBe('Merci !');
});

test('a warning says why a translation was cut, and that a model carries worse than others', () => {
  expect(translate(kModel, 'I love you.\n', '--max-length', '2').stderr).toMatch(
    /line 1 reached its maximum length and was cut/,
  );
  const plain = translate('web/models/compared/plain', 'Ask @tom_1 for 4567 cats.\n');
  expect(plain.stderr).toMatch(/no attention: numbers and names that it loses go to the end/);
  expect(plain.stdout.match(/@tom_1|4567/g)).toHaveLength(2);
  const small = 'tests/goldens/marian/ssru-pre-norm';
  expect(translate(small, 'My phone number is 12345.\n').stderr).toMatch(
    /too small to carry[^]*line 1 repeated itself/,
  );
  expect(translate(small, 'a\n', '--keep', 'a')).toMatchObject({ status: 1, stdout: '' });
});

test('in a trace the span of each piece lies within the text, wherever carried parts are inserted', () => {
  const lines = ['See you at 10:30 \u{1f600}', 'f, 12 \u{1f600}', 'Call 555-1234 \u{1f600} \u{1f389}'];
  const path = join(folder, 'traces.jsonl');
  expect(translate(kModel, `${lines.join('\n')}\n`, '--trace', path).status).toBe(0);
  const traces = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(traces).toHaveLength(lines.length);
  for (const { begin, end, text } of traces.flatMap(({ source, target }) => [source, target])) {
    for (const [i, first] of begin.entries()) {
      expect(first).toBeLessThanOrEqual(end[i]);
      expect(end[i]).toBeLessThanOrEqual(Buffer.byteLength(text));
    }
  }
});

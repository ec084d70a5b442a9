// Each two options of `qkv translate` at a time: either both do what they say, or one line says which do not go together.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from '../../web/tools/common.mjs';
import { kNative, kNode, runIn } from './both.js';

const model = at('web/models/en-fr');

/** Each option with a value. */
const kOptions = {
  '--beam': ['2'],
  '--n-best': ['2'],
  '--max-length': ['40'],
  '--no-shortlist': [],
  '--no-copy': [],
  '--keep': ['Anna'],
  '--glossary': ['terms.tsv'],
  '--confidence': [],
  '--scores': [],
  '--trace': ['trace.jsonl'],
  '--vectors': [],
  '--interventions': ['changes.json'],
  '--then': [at('web/models/en-fr')],
  '--tsv': ['2'],
  '--jsonl': ['text'],
  '--progress': [],
  '--input': ['in'],
  '--output': ['out'],
  '--resume': [],
  '--split': [],
  '--sort-buffer': ['2'],
  '--threads': ['1'],
};
/** What an option needs beside it. */
const kNeeded = { '--vectors': '--trace', '--resume': '--output' };
const names = Object.keys(kOptions);
const pairs = names.flatMap((first, i) => names.slice(i + 1).map((second) => [first, second]));

const texts = ['Anna has a house.', 'I love you.', 'She sings.'];
const kInputs = {
  plain: texts,
  '--tsv': texts.map((text, i) => `${i}\t${text}\tx`),
  '--jsonl': texts.map((text, i) => JSON.stringify({ id: i, text })),
};

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-composed-'));
  writeFileSync(join(folder, 'terms.tsv'), 'house\tmaison\n');
  writeFileSync(join(folder, 'changes.json'), '[]');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What two options give, and where it is. */
function together(command, options) {
  const format = options.find((name) => name in kInputs) ?? 'plain';
  const input = kInputs[format].map((line) => `${line}\n`).join('');
  writeFileSync(join(folder, 'in'), input);
  rmSync(join(folder, 'out'), { force: true });
  const all = new Set([...options, ...options.flatMap((name) => kNeeded[name] ?? [])]);
  const given = [...all].flatMap((name) => [name, ...kOptions[name]]);
  const ran = runIn(command, ['translate', '-m', model, ...given], all.has('--input') ? '' : input, folder);
  const files = readdirSync(folder);
  return { ...ran, files, out: files.includes('out') ? readFileSync(join(folder, 'out'), 'utf8') : ran.stdout };
}

test('the table has every option', () => {
  const { stdout } = runIn(kNative, ['translate', '--help'], '', '.');
  const listed = [...stdout.matchAll(/^ +(?:-\w, *)?(--[a-z-]+)/gm)].map(([, name]) => name);
  expect(listed.filter((name) => !['--help', '--model'].includes(name)).toSorted()).toEqual(names.toSorted());
});

test.each(pairs)('%s and %s', (first, second) => {
  const { status, stdout, stderr, files, out } = together(kNative, [first, second]);
  if (status === 2) {
    // The reason names both, or what one of them needs.
    expect([stdout, out]).toEqual(['', '']);
    expect(stderr).toMatch(/^qkv: --[a-z-]+ (excludes|requires) --[a-z-]+; qkv translate --help says what it takes\n$/);
    const known = [first, second].flatMap((name) => [name, kNeeded[name]]);
    for (const name of stderr.match(/--[a-z-]+/g).slice(0, 2)) expect(known).toContain(name);
    expect(files.filter((name) => /^(out|trace)/.test(name))).toEqual([]);
    return;
  }
  expect([status, stderr.replace(/^qkv: 3 lines, \d+ words\/s\n$/, '')]).toEqual([0, '']);
  const has = (name) => first === name || second === name;
  const lines = out.trimEnd().split('\n');
  // A line for each line, or for each of the n best; TSV keeps its columns, JSON its fields.
  expect(lines.length).toBe(has('--n-best') && !has('--jsonl') ? 6 : 3);
  if (has('--tsv')) {
    const figures = has('--scores') || has('--confidence') ? 1 : 0;
    expect(
      lines.map((line) =>
        line
          .split('\t')
          .slice(figures, figures + 3)
          .join('\t'),
      ),
    ).toEqual(kInputs['--tsv']);
    expect(new Set(lines.map((line) => line.split('\t').length))).toEqual(new Set([4 + figures]));
  }
  if (has('--jsonl')) {
    for (const [i, line] of lines.entries()) {
      const { id, text, translation, translations, score, confidence } = JSON.parse(line);
      expect([id, text]).toEqual([i, texts[i]]);
      expect(typeof (has('--n-best') ? translations[1].text : translation)).toBe('string');
      expect([typeof score, typeof confidence]).toEqual(
        ['--scores', '--confidence'].map((name) => (has(name) ? 'number' : 'undefined')),
      );
    }
  }
  if (has('--trace') || has('--vectors')) {
    expect(readFileSync(join(folder, 'trace.jsonl'), 'utf8').trimEnd().split('\n').length).toBe(3);
  }
});

// Three and more at a time: what a pipeline asks for.
test.each([
  [['--tsv', '--scores', '--resume', '--sort-buffer', '--progress', '--input'], 0],
  [['--jsonl', '--n-best', '--sort-buffer', '--input', '--output'], 0],
  [['--jsonl', '--confidence', '--split', '--sort-buffer', '--input', '--output', '--keep', '--glossary'], 0],
  [['--tsv', '--then', '--confidence', '--split', '--resume'], 0],
  [['--tsv', '--n-best', '--resume', '--jsonl'], 2],
])('%j ends with %i', (options, code) => {
  const { status, out } = together(kNative, options);
  expect([status, out.split('\n').length]).toEqual([code, code === 0 ? 4 : 1]);
});

test.each([
  [['--tsv', '--scores', '--sort-buffer', '--beam']],
  [['--jsonl', '--n-best', '--keep', '--max-length']],
  [['--tsv', '--n-best', '--jsonl']],
  [['--trace', '--then']],
  [['--tsv', '--scores', '--resume', '--sort-buffer', '--input']],
  [['--jsonl', '--confidence', '--split', '--input', '--output', '--keep']],
  [['--jsonl', '--n-best', '--resume']],
  [['--trace', '--input', '--output']],
])('%j: in Node as natively', (options) => {
  const [native, node] = [kNative, kNode].map((command) => together(command, options));
  expect(node).toEqual(native);
});

// The examples of web/docs/interventions.md: each prints what is written under it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from './support.js';

const page = readFileSync(at('web/docs/interventions.md'), 'utf8');
const examples = Array.from(page.matchAll(/```js\n([^]*?)```/g), ([, code], i) => [i + 1, code]);

test('the document has examples', () => expect(examples.length).toBeGreaterThan(1));

test.each(examples)('example %i prints what is written under it', (_, code) => {
  const promised = Array.from(code.matchAll(/^\s*\/\/ → (.*)$/gm), ([, line]) => line);
  const options = { cwd: at('.'), encoding: 'utf8' };
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], options);
  expect(printed.split('\n').filter(Boolean)).toEqual(promised);
  expect(promised.length).toBeGreaterThan(0);
});

// The lines for the native command, with files of these names. MODEL and the other models are folders of the tree.
describe('the command', () => {
  const lines = Array.from(
    page.matchAll(/^ {4}(.*\bqkv (?:translate|score|encode|fill-mask|generate|explain) .*)$/gm),
    ([, line]) => line,
  );
  const models = {
    MODEL: at('web/models/en-fr'),
    bert: at('tests/goldens/one-sided/bert-masked'),
    gpt2: at('tests/goldens/one-sided/gpt2'),
  };
  const files = {
    'changes.json': '[{"kind":"off","layer":0,"head":1}]',
    'sentences.txt': 'I love you.\n',
    'pairs.tsv': "I love you.\tJe t'aime.\n",
    'texts.txt': 'The cat sleeps on the [MASK].\n',
    'prompts.txt': 'Where is\n',
  };
  let folder;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'qkv-docs-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('has examples', () => expect(lines.length).toBeGreaterThan(6));

  test.each(lines)('%s', (line) => {
    const command = line.replace(/--model (\w+)/, (_, name) => `--model ${models[name]}`);
    const env = { ...process.env, PATH: `${at('build/native')}:${process.env.PATH}` };
    expect(execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', env })).not.toBe('');
  });
});

// The option list that `qkv options --json` prints. Commands, JavaScript's checks, types and docs must agree with it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Translator } from '../../web/lib/index.js';
import { Generator } from '../../web/lib/models/index.js';
import { Trainer } from '../../web/lib/train/index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const qkv = (...args) => spawnSync(join(root, 'build/native/qkv'), args, { encoding: 'utf8', input: '' });
const folder = (name) => join(root, 'tests/goldens', name);

const options = JSON.parse(qkv('options', '--json').stdout);
const of = (call) => options.filter((option) => option.call === call);
const numbers = options.filter(({ least }) => least !== undefined);

// Options of commands that are not options of calls.
const kFiles = ['--input', '--output', '--resume', '--progress', '--tsv', '--jsonl', '--split', '--sort-buffer'];
const kOwn = ['--help', '--model', '--then', '--threads', '--trace', '--int8', ...kFiles];

describe.each(['translate', 'generate'])('qkv %s', (call) => {
  const { stdout } = qkv(call, '--help');

  test('has the options of the list and no other', () => {
    const listed = of(call).flatMap(({ command }) => command ?? []);
    const flags = [...stdout.matchAll(/^ +(?:-\w, *)?(--[a-z0-9-]+)/gm)].map(([, flag]) => flag);
    expect(flags.filter((flag) => !kOwn.includes(flag)).toSorted()).toEqual(listed.toSorted());
  });
});

const model = { translate: folder('models/tiny-f32'), generate: folder('one-sided/gpt2') };

test.each(numbers.filter(({ command }) => command))('qkv $call refuses $command out of range', (option) => {
  const below = option.kind === 'whole' ? option.least - 1 : option.least / 2 - 1e-12;
  for (const value of [below, option.most + 1]) {
    const { status, stderr } = qkv(option.call, '-m', model[option.call], `${option.command}=${value}`);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${option.command}: Value`)]);
  }
  expect(qkv(option.call, '-m', model[option.call], `${option.command}=${option.most}`).status).toBe(0);
});

test('qkv generate takes the former name --length', () => {
  expect(qkv('generate', '-m', model.generate, '--length', '4').status).toBe(0);
  expect(qkv('generate', '-m', model.generate, '--length', '0').status).toBe(2);
});

test('qkv generate writes the same with drafts and without', () => {
  const everyday = join(root, 'web/models/english/everyday');
  const write = (...more) =>
    spawnSync(join(root, 'build/native/qkv'), ['generate', '-m', everyday, '--max-length', '60', ...more], {
      encoding: 'utf8',
      input: 'I have a red car. I have a red\nTom\n',
    });
  const { status, stdout } = write();
  expect(status).toBe(0);
  expect(stdout.split('\n').length).toBe(3);
  expect(write('--no-prompt-lookup')).toMatchObject({ status: 0, stdout });
});

describe('JavaScript', () => {
  let translator, generator;
  beforeAll(async () => {
    translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model: model.translate });
    generator = await Generator.load(model.generate);
  });
  afterAll(() => [translator, generator].forEach((one) => one?.destroy()));
  const run = {
    translate: (given) => translator.search('a', given),
    generate: (given) => generator.generate('a', { maxLength: 1, ...given }),
  };

  test.each(numbers.filter(({ javascript }) => javascript))('$call has the range of $name', async (option) => {
    const { call, name, least, most } = option;
    // nBest is at most the beam.
    const given = (value) => ({ ...(name === 'nBest' && { beam: most }), [name]: value });
    for (const value of [least - 1, most + 1]) {
      await expect(run[call](given(value))).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(` from ${least} to ${most}, `),
      });
    }
    await run[call](given(least));
    // The longest output would take minutes.
    if (name !== 'maxLength') await run[call](given(most));
  });

  test.each([
    ['translate', ['web/lib/api/translate-options.js', 'web/lib/text/carry-options.js']],
    ['generate', ['web/lib/models/generator.js']],
  ])('%s has each option in its types', (call, files) => {
    const types = files.map(read).join('\n');
    const named = [...types.matchAll(/@property \{[^\n]*\} \[(\w+)\]/g)].map(([, name]) => name);
    const wanted = of(call).filter(({ javascript }) => javascript);
    expect(wanted.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([]);
  });
});

test('docs/options.md has the list', () => {
  const range = ({ least, most }) => (least === undefined ? '' : `${least} to ${most}`);
  const row = (option) => {
    const { name, command, javascript, absent, meaning } = option;
    const names = [javascript ? `\`${name}\`` : '', command ? `\`${command}\`` : ''];
    return `| ${[...names, range(option), absent, meaning].join(' | ')} |`;
  };
  const cells = (line) => line.split('|').map((cell) => cell.trim());
  const page = read('web/docs/options.md').split(/^## /m);
  for (const [i, call] of ['translate', 'generate'].entries()) {
    const rows = page[i + 1].split('\n').filter((line) => /^\| *(`|\|)/.test(line));
    expect(rows.map(cells)).toEqual(of(call).map((option) => cells(row(option))));
  }
});

describe('the config of a training run', () => {
  const fields = JSON.parse(qkv('train', '--fields').stdout);

  test('docs/training.md has each field with its range and its default', () => {
    const range = ({ least, most, names }) => {
      if (names) return names.map((name) => `\`${name}\``).join(', ');
      if (least === undefined) return '';
      return most >= 1e15 ? `from ${least}` : `${least} to ${most}`;
    };
    const table = read('web/docs/training.md').split('| field | range |')[1].split('\n\n')[0];
    const rows = table.split('\n').slice(2);
    const found = rows.map((row) => row.split(' | ').map((cell) => cell.replace(/^\| /, '').trim()));
    expect(found.map(([name, values]) => [name, values])).toEqual(
      fields.map((field) => [`\`${field.name}\``, range(field)]),
    );
    for (const [i, { absent }] of fields.entries())
      if (absent !== undefined) expect(found[i][2].replaceAll('`', '')).toBe(String(absent).replace('e-0', 'e-'));
  });

  test('TrainerConfig has the fields that JavaScript has', () => {
    const type = read('web/lib/train/trainer.js').split('@typedef {object} TrainerConfig')[1].split('*/')[0];
    const named = [...type.matchAll(/@property \{(.*)\} \[(\w+)\]/g)].flatMap(([, content, name]) => {
      const parts = content.startsWith('{') ? [...content.matchAll(/(\w+)\?:/g)] : [];
      return parts.length > 0 ? parts.map(([, part]) => `${name}.${part}`) : name;
    });
    const wanted = fields.filter(({ javascript }) => javascript).map(({ name }) => name);
    expect(named.toSorted()).toEqual(wanted.toSorted());
    for (const { name, names, javascript } of fields) {
      if (names && javascript)
        expect(type).toContain(`${name.split('.').at(-1)}?: ${names.map((n) => `'${n}'`).join(' | ')}`);
    }
  });

  test('a run in JavaScript refuses fields that only a run on files has', async () => {
    const pairs = [['abc', 'cba']];
    for (const config of [
      { precision: 'float' },
      { wire: 'float' },
      { checkpoint: { every: 1 } },
      { measure: { by: 'loss' } },
    ]) {
      await expect(Trainer.create({ pairs, config })).rejects.toMatchObject({
        code: 'INVALID_FILE',
        message: expect.stringContaining('is not a field of this file'),
      });
    }
  });
});

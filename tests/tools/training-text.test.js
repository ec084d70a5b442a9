// Tests of the Python scripts in web/models that prepare training text: they select pairs or change them. The tests need Python, and
// no package of it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { at } from '../../web/tools/common.mjs';

const folder = mkdtempSync(join(tmpdir(), 'qkv-text-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file into the temporary folder. Returns its path. */
function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The text of a file of pairs: a line for each row, with tabs between its columns. */
const pairs = (...rows) => rows.map((row) => `${row.join('\t')}\n`).join('');

/** Runs a script of web/models. Returns the rows that it prints, each cut at its tabs. */
function python(script, args, input = '') {
  const { status, stdout, stderr } = spawnSync('python3', [at('web/models', script), ...args], {
    input,
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' },
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));
}

/** A text that has `count` words. */
const words = (count) => Array(count).fill('w').join(' ');

describe('rare_words.py', () => {
  const list = file('words.txt', 'cat dog\nbird\nwell-known Cat');
  const text = file('text.tsv', pairs(['A cat, a Cat: cats.', 'Hund'], ['The well-known dog', 'Vogel']));
  const packed = file('text.tsv.gz', gzipSync(pairs(['Dog', 'Hund'])));

  test('counts the words of plain and of packed texts, capitals or not, and prints the rare ones in the order of the list', () => {
    const rare = (...options) => python('training/rare_words.py', [list, text, packed, ...options]);
    expect(rare('--least', '2')).toEqual([
      ['bird', '0'],
      ['well-known', '1'],
    ]);
    expect(rare()).toEqual([
      ['cat', '2'],
      ['dog', '2'],
      ['bird', '0'],
      ['well-known', '1'],
    ]);
  });

  test('counts the words of another column, and both parts of a word with a hyphen', () => {
    const german = file('german.txt', 'Hund Katze Vogel');
    expect(python('training/rare_words.py', [german, text, packed, '--column', '2', '--least', '2'])).toEqual([
      ['katze', '0'],
      ['vogel', '1'],
    ]);
    const parts = file('parts.txt', 'known well');
    expect(python('training/rare_words.py', [parts, text, '--least', '1'])).toEqual([]);
  });
});

describe('nearest.py', () => {
  const sources = pairs(
    ['The dog sleeps.', 'Der Hund schläft.'],
    ['Good evening!', ''],
    ['Yes, yes, yes!', 'Ja, ja, ja!'],
  );
  const best = pairs(
    ['1', '-0.1', 'Die Katze rennt.'],
    ['1', '-0.5', 'Der Hund schlief.'],
    ['1', '-0.9', 'Ein Hund schläft gerade tief.'],
    ['2', '-0.3', 'Guten Abend!'],
    ['2', '-0.2', 'Guten Tag!'],
    ['3', '-0.1', 'Ja ja ja ja ja ja ja ja!'],
  );
  const nearest = (...options) =>
    python('training/nearest.py', [file('sources.tsv', sources), file('best.tsv', best), ...options]);

  test('takes the translation nearest to the target, and the likeliest one where there is no target', () => {
    expect(nearest()).toEqual([
      ['The dog sleeps.', 'Der Hund schlief.'],
      ['Good evening!', 'Guten Tag!'],
    ]);
  });

  test('leaves out a pair that is farther from the target than --least', () => {
    expect(nearest('--least', '0.95')).toEqual([['Good evening!', 'Guten Tag!']]);
  });

  test('leaves out a translation that is much longer or much shorter than its source', () => {
    const source = 'A sentence of about sixty characters, as many of them are here.';
    const args = [
      file('one.tsv', pairs([source, ''])),
      file(
        'lengths.tsv',
        pairs(['1', '-0.1', 'Kurz.'], ['1', '-0.2', `${source} ${source} ${source}`], ['1', '-0.3', source]),
      ),
    ];
    expect(python('training/nearest.py', args)).toEqual([[source, source]]);
  });
});

test('lengths.py keeps pairs of enough words for their source, and short ones unless told', () => {
  const input = pairs([words(20), words(18)], [words(20), words(20)], [words(20), words(24)], ['short', words(9)]);
  const kept = (...options) =>
    python('en-fr/training/lengths.py', options, input).map(([, target]) => target.split(' ').length);
  expect(kept('--least', '1')).toEqual([20, 24, 9]);
  expect(kept('--most', '0.9', '--long')).toEqual([18]);
  expect(kept('--least', '0.9', '--most', '1')).toEqual([18, 20, 9]);
});

test('clean.py leaves out pairs whose code was taken out, and pairs of unequal length', () => {
  const whole = ['Press the key.', 'Appuyez sur la touche.'];
  const input = pairs(
    whole,
    ['Use the , option.', "Utilisez l'option."],
    ['Open (see below).', 'Ouvrez ( ).'],
    ['Yes.', words(9)],
  );
  expect(python('en-fr/training/clean.py', [], input)).toEqual([whole]);
});

test('robust.py changes each pair by one rule in turn, and leaves out what has no letter in the vocabulary', () => {
  const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZé.!'"];
  const vocabulary = file('vocab.json', JSON.stringify(Object.fromEntries(letters.map((letter, i) => [letter, i]))));
  const pair = ["It isn't here.", 'Il est allé.'];
  const changed = python('en-fr/training/robust.py', [vocabulary], pairs(pair, pair, pair, pair, pair, ['Ωmega', 'x']));
  // Two pairs are missing. The first pair has É in its target, which the vocabulary does not have. The fifth pair would get a typing
  // error, but none of its words is long enough.
  expect(changed).toEqual([
    ["it isn't here", 'Il est allé'],
    ["It isn't here", 'Il est allé'],
    ['it isnt here.', 'Il est allé.'],
  ]);
});

test('robust.py makes a typing error of one letter in a longer word', () => {
  const vocabulary = file(
    'plain.json',
    JSON.stringify(Object.fromEntries([...'abcdefghijklmnopqrstuvwxyzT'].map((c, i) => [c, i]))),
  );
  const same = Array(5).fill(['The window', 'x']);
  const typed = python('en-fr/training/robust.py', [vocabulary], pairs(...same)).map(([source]) => source);
  expect(typed.slice(0, 2)).toEqual(['the window', 'The window']);
  for (const source of typed.slice(2)) {
    expect(source).not.toBe('The window');
    expect(source).toMatch(/^The w[a-z]{4,6}$/);
  }
});

test('lacking.py prints the English lines that the pairs of a language lack, without those of development sets', () => {
  const english = (name, ...lines) => {
    const text = pairs(...lines.map((line) => [line, 'x']));
    return file(name, name.endsWith('.gz') ? gzipSync(text) : text);
  };
  for (const language of ['fr', 'de', 'es', 'zh']) {
    for (const kind of ['train', 'more', 'docs']) english(`en-${language}.${kind}.tsv.gz`);
  }
  english('en-fr.train.tsv.gz', 'Both have it.');
  english('en-de.train.tsv.gz', 'both have it', 'German alone.', 'Of a dev set.', words(61));
  english('en-es.train.tsv.gz', 'Spanish alone.', 'german alone!');
  english('en-es.more.tsv.gz', 'Of another kind.');
  english('dev.en-es.tsv', 'Of a dev set.');
  const sentences = english('sentences.tsv', 'A sentence.');
  const lacking = (kind) => python('en-fr/training/lacking.py', [folder, sentences, 'fr', kind]).flat().sort();
  expect(lacking('train')).toEqual(['German alone.', 'Spanish alone.']);
  expect(lacking('more')).toEqual(['Of another kind.']);
});

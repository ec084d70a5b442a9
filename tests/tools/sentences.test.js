// The sentences in four languages that models are trained with.

import { readFileSync } from 'node:fs';
import { at } from '../../web/tools/common.mjs';

const read = (name) => readFileSync(at('web/models/training', name), 'utf8').trimEnd().split('\n');
const lines = read('sentences.tsv');
const rows = lines.map((line) => line.split('\t'));

/** The letters and digits of a text. */
const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

test('each line has a text in each of the four languages', () => {
  expect(
    rows.filter((texts) => texts.length !== 4 || texts.some((text) => text.trim() !== text || text === '')),
  ).toEqual([]);
});

test('no English sentence is there twice, and README.md counts them right', () => {
  const plain = rows.map(([english]) => letters(english));
  const seen = new Set();
  const isSecond = (text) => seen.has(text) || !seen.add(text);
  expect(plain.filter(isSecond)).toEqual([]);
  const [, count] = /has ([\d,]+) lines/.exec(readFileSync(at('web/models/training/README.md'), 'utf8'));
  expect(Number(count.replace(',', ''))).toBe(rows.length);
});

test('none of the sentences that models are judged by is among them, in any of the languages', () => {
  const unseen = read('unseen.tsv').map((line) => line.split('\t').map(letters));
  expect(unseen).toHaveLength(100);
  for (const column of [0, 1, 2, 3]) {
    const trained = new Set(rows.map((texts) => letters(texts[column])));
    expect(unseen.map((texts) => texts[column]).filter((text) => text === undefined || trained.has(text))).toEqual([]);
  }
});

test.each(['german.tsv', 'spanish.tsv'])(
  '%s has pairs, none twice or judged, and README.md counts them right',
  (name) => {
    const pairs = read(name).map((line) => line.split('\t'));
    expect(
      pairs.filter((texts) => texts.length !== 2 || texts.some((text) => text.trim() !== text || text === '')),
    ).toEqual([]);
    expect(new Set(pairs.map(([english, other]) => letters(english + other))).size).toBe(pairs.length);
    const unseen = new Set(read('unseen.tsv').flatMap((line) => line.split('\t').map(letters)));
    expect(pairs.filter((texts) => texts.some((text) => unseen.has(letters(text))))).toEqual([]);
    const count = new RegExp(`${name}\` has ([\\d,]+) pairs`).exec(
      readFileSync(at('web/models/training/README.md'), 'utf8'),
    )[1];
    expect(Number(count.replace(',', ''))).toBe(pairs.length);
  },
);

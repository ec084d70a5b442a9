// The sentences in four languages that models are trained with.

import { readFileSync } from 'node:fs';
import { at } from '../../web/tools/common.mjs';

const lines = readFileSync(at('web/models/training/sentences.tsv'), 'utf8').trimEnd().split('\n');
const rows = lines.map((line) => line.split('\t'));

test('each line has a text in each of the four languages', () => {
  expect(
    rows.filter((texts) => texts.length !== 4 || texts.some((text) => text.trim() !== text || text === '')),
  ).toEqual([]);
});

test('no English sentence is there twice, and README.md counts them right', () => {
  const plain = rows.map(([english]) => english.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));
  const seen = new Set();
  const isSecond = (text) => seen.has(text) || !seen.add(text);
  expect(plain.filter(isSecond)).toEqual([]);
  const [, count] = /has ([\d,]+) lines/.exec(readFileSync(at('web/models/training/README.md'), 'utf8'));
  expect(Number(count.replace(',', ''))).toBe(rows.length);
});

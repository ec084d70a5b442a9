// Makes what the English models learn from, out of the English sides of parallel text:
//   texts.txt                     every sentence once, in the order of first sight
//   {train,dev}-questions.tsv     a sentence without its last mark, and which it had: question or statement
//   {train,dev}-capitals.tsv      a sentence's words without capitals and marks, and which began with a capital
// What is in the development files is in no other.
//
// usage: prepare.mjs FOLDER_OF_DATA FOLDER_TO_WRITE

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [data, out] = process.argv.slice(2);
const kPairs = ['en-fr', 'en-de', 'en-es'];

const english = (file) => {
  const bytes = readFileSync(join(data, file));
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').flatMap((line) => line.split('\t', 1)).filter((sentence) => sentence.trim() !== '');
};

const question = (sentence) => {
  const [, body, mark] = /^(.*[^\s.?!])\s*([.?])$/u.exec(sentence) ?? [];
  return body === undefined ? [] : [`${body}\t${mark === '?' ? 'question' : 'statement'}`];
};

const capitals = (sentence) => {
  const words = sentence.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  if (words.length < 2) return [];
  const labels = words.map((word) => (/^\p{Lu}/u.test(word) ? 'capital' : 'small'));
  return [`${words.join(' ').toLowerCase()}\t${labels.join(' ')}`];
};

const held = new Set(kPairs.flatMap((pair) => english(`dev.${pair}.tsv`)));
const texts = [...new Set(kPairs.flatMap((pair) => english(`${pair}.train.tsv.gz`)))].filter((each) => !held.has(each));

const write = (name, lines) => writeFileSync(join(out, name), lines.map((line) => `${line}\n`).join(''));
write('texts.txt', texts);
write('dev-texts.txt', [...held]);
for (const [name, made] of Object.entries({ questions: question, capitals })) {
  write(`train-${name}.tsv`, texts.flatMap(made));
  write(`dev-${name}.tsv`, [...held].flatMap(made));
}

// How often each detector names the language, beside its size and time:
//   npm --prefix tests/bench ci && node tests/bench/detect/compare.mjs [TEST.tsv]
// TEST.tsv has TEXT<TAB>LANGUAGE<TAB>LENGTH lines, as tests/oracle/detect/prepare.py writes them; without it the sentences
// that a page is asked to translate (everyday.tsv), whole and cut to 20 and 5 characters.
// Each detector is compared with qkv on the languages that both know.

import { readFileSync } from 'node:fs';
import { contenders } from './contenders.mjs';

/** @typedef {{text: string, tag: string, length: string}} Line */

const kCuts = [5, 20];

/** @returns {Line[]} */
function everyday() {
  const lines = readFileSync(new URL('everyday.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const whole = lines.flatMap((line) => {
    const [tag, texts] = line.split('\t');
    return texts.split('|').map((text) => ({ text, tag, length: 'whole' }));
  });
  const cut = kCuts.flatMap((length) =>
    whole.map(({ text, tag }) => ({ text: [...text].slice(0, length).join('').trim(), tag, length: String(length) })),
  );
  return [...cut, ...whole];
}

/** @param {string} file @returns {Line[]} */
function linesOf(file) {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .map(([text, tag, length]) => ({ text, tag, length }));
}

/** The mean over the languages of the share of correct answers. @param {Line[]} lines @param {string[]} answers */
function accuracy(lines, answers) {
  /** @type {Map<string, {right: number, all: number}>} */
  const counts = new Map();
  lines.forEach(({ tag }, i) => {
    const count = counts.get(tag) ?? { right: 0, all: 0 };
    counts.set(tag, { right: count.right + Number(answers[i] === tag), all: count.all + 1 });
  });
  const shares = [...counts.values()].map(({ right, all }) => right / all);
  return shares.reduce((a, b) => a + b, 0) / shares.length;
}

const lines = process.argv[2] ? linesOf(process.argv[2]) : everyday();
const lengths = [...new Set(lines.map(({ length }) => length))];
const percent = (/** @type {number} */ share) => (100 * share).toFixed(1);
const all = await contenders();
const [own] = all;
console.log(`| | languages | KB | µs a text | ${lengths.map((length) => `${length}: it | qkv`).join(' | ')} |`);
for (const { name, detect, knows, bytes } of all) {
  const among = new Set([...knows].filter((tag) => own.knows.has(tag)));
  const asked = lines.filter(({ tag }) => among.has(tag));
  asked.slice(0, 500).forEach(({ text }) => detect(text, among));
  const start = performance.now();
  const answers = asked.map(({ text }) => detect(text, among));
  const time = (1000 * (performance.now() - start)) / asked.length;
  const saidByOwn = asked.map(({ text }) => own.detect(text, among));
  const cells = lengths.map((length) => {
    const places = [...asked.keys()].filter((i) => asked[i].length === length);
    const of = (/** @type {string[]} */ from) =>
      percent(
        accuracy(
          places.map((i) => asked[i]),
          places.map((i) => from[i]),
        ),
      );
    return `${of(answers)} | ${of(saidByOwn)}`;
  });
  console.log(`| ${name} | ${knows.size} | ${Math.round(bytes / 1000)} | ${Math.round(time)} | ${cells.join(' | ')} |`);
}
if (process.argv.includes('--each')) {
  for (const tag of own.knows) {
    const cells = lengths.map((length) => {
      const asked = lines.filter((line) => line.length === length && line.tag === tag);
      const wrong = asked.map(({ text }) => own.detect(text, own.knows)).filter((answer) => answer !== tag);
      const most = [...new Set(wrong)].sort(
        (a, b) => wrong.filter((x) => x === b).length - wrong.filter((x) => x === a).length,
      );
      return `${percent(1 - wrong.length / asked.length)} ${most.slice(0, 3)}`;
    });
    console.log(tag, cells.join('\t'));
  }
}

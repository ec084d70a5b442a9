// How many tokens come through exactly and once, what they cost the sentence around them, and what copying changes in
// ordinary text:
//   node tests/carried/measure.mjs en-fr PAIRS.tsv [MORE.tsv ...] [--count 500] [--seed 1] [--unseen SEED] [--no-copy] [--failures]
// PAIRS.tsv: English, tab, the other language. First the lines that were written by hand, then as many as are asked for, made
// from the pairs by rule. --unseen: from those pairs alone that this seed does not use. Then BLEU of each file with copying
// and without it, by the paired bootstrap. Needs build/native/qkv.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bleu, evaluate, readPairs, translate } from './command.mjs';
import { makeLines, without } from './lines.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    unseen: { type: 'string' },
    'no-copy': { type: 'boolean', default: false },
    failures: { type: 'boolean', default: false },
  },
});
const [pair, ...files] = positionals;
const translated = (/** @type {string[]} */ texts) =>
  translate(pair, texts, ...(values['no-copy'] ? ['--no-copy'] : [])).lines;
const count = (/** @type {string} */ text, /** @type {string} */ part) => text.split(part).length - 1;
const failed = (/** @type {string} */ text) => values.failures && console.log(text);

/** The lines that were written by hand. */
function measureHand() {
  const hand = readFileSync(new URL('hand.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('%'))
    .map((line) => ({
      source: line.replace(/[⟦⟧]/g, ''),
      tokens: Array.from(line.matchAll(/⟦(.*?)⟧/g), ([, token]) => token),
    }));
  const asked = hand.reduce((sum, { tokens }) => sum + tokens.length, 0);
  let found = 0;
  translated(hand.map((line) => line.source)).forEach((output, i) => {
    const { source, tokens } = hand[i];
    const there = tokens.filter((token) => count(output, token) === count(source, token)).length;
    found += there;
    failed(`${there < tokens.length ? 'LOST ' : '     '}${source}\n     ${output}`);
  });
  console.log(`${pair}: ${found} of ${asked} tokens of ${hand.length} lines by hand exact and once`);
}

/** Lines made by rule: @returns {(import('./lines.mjs').Line & {output: string})[]} */
function measureTokens() {
  const pairs = readPairs(files[0]);
  const seen = new Set(values.unseen ? makeLines(pairs, 500, Number(values.unseen)).map((line) => line.plain) : []);
  const unseen = pairs.filter(([source]) => !seen.has(source));
  const made = makeLines(unseen, Number(values.count), Number(values.seed));
  const outputs = translated(made.map((line) => line.source));
  const lines = made.map((line, i) => ({ ...line, output: outputs[i] }));
  const isRight = (/** @type {typeof lines[0]} */ { token, source, output }) =>
    count(output, token) === count(source, token);
  const wrong = lines.filter((line) => !isRight(line));
  for (const { kind, place, source, output } of wrong) failed(`${kind}, ${place}: ${source}\n  ${output}`);
  const kinds = [...new Set(lines.map((line) => line.kind))];
  const lost = kinds
    .map((kind) => ({ kind, lost: wrong.filter((line) => line.kind === kind).length }))
    .filter(({ lost }) => lost);
  const right = lines.length - wrong.length;
  console.log(
    `${pair}: ${right} of ${lines.length} tokens of ${kinds.length} kinds exact and once` +
      ` (${((100 * right) / lines.length).toFixed(1)} %)${lost.map(({ kind, lost }) => `; ${lost} of ${kind} lost`).join('')}`,
  );
  return lines;
}

/** The sentences around, where the token was added: with it, and as they were without it. */
function measureAround(/** @type {ReturnType<typeof measureTokens>} */ lines) {
  const added = lines.filter(({ place }) => place !== 'name' && place !== 'number');
  const alone = translated(added.map((line) => line.plain));
  const around = added.map((line) => without(line.output, line.token));
  const pairs = added.map(
    (line) => /** @type {[string, string]} */ ([line.plain, without(line.reference, line.token)]),
  );
  const [was, is] = evaluate(pairs, [alone, around]);
  console.log(
    `BLEU of ${added.length} sentences around: ${is.bleu.score.toFixed(2)}; without a token ${was.bleu.score.toFixed(2)}` +
      ` (p = ${is.bleu.pValue?.toFixed(3)})`,
  );
  for (const place of values.failures ? new Set(added.map((line) => line.place)) : []) {
    const of = (/** @type {any[]} */ list) => list.filter((_, i) => added[i].place === place);
    const [a, b] = [bleu(of(pairs), of(around)), bleu(of(pairs), of(alone))];
    console.log(`  ${place}: ${a.toFixed(2)}; without a token ${b.toFixed(2)}`);
    of(added)
      .slice(0, 8)
      .forEach((line, i) => console.log('     ', line.source, '\n        ', line.output, '\n        ', of(alone)[i]));
  }
}

measureHand();
measureAround(measureTokens());
for (const file of values['no-copy'] ? [] : files) {
  const pairs = readPairs(file);
  const sources = pairs.map(([source]) => source);
  const [plain, copied] = evaluate(pairs, [translate(pair, sources, '--no-copy').lines, translated(sources)]);
  console.log(
    `BLEU of ${pairs.length} pairs of ${file}: ${copied.bleu.score.toFixed(2)}; without copying` +
      ` ${plain.bleu.score.toFixed(2)} (p = ${copied.bleu.pValue?.toFixed(3)})`,
  );
}

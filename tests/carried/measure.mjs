// How many tokens come through exactly and once, and what they cost the sentence around them:
//   node tests/carried/measure.mjs en-fr PAIRS.tsv [--count 500] [--seed 1] [--no-copy] [--failures]
// PAIRS.tsv: English, tab, the other language. First the lines that were written by hand, then as many as are asked for, made
// from the pairs by rule. Needs build/native/qkv.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { at } from '../../web/tools/common.mjs';
import { makeLines, without } from './lines.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    'no-copy': { type: 'boolean', default: false },
    failures: { type: 'boolean', default: false },
  },
});
const [pair, file] = positionals;
const qkv = at('build', 'native', 'qkv');
const pairs = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => /** @type {[string, string]} */ (line.split('\t', 2)));
const lines = makeLines(pairs, Number(values.count), Number(values.seed));

/** @param {string[]} texts */
function translate(texts) {
  const args = ['translate', '--model', at('web', 'models', pair), ...(values['no-copy'] ? ['--no-copy'] : [])];
  const output = execFileSync(qkv, args, { input: texts.join('\n') + '\n', encoding: 'utf8' });
  return output.slice(0, -1).split('\n');
}

/** @param {[source: string, reference: string, hypothesis: string][]} rows */
function bleu(rows) {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-carried-'));
  const [data, hypotheses] = [join(folder, 'data.tsv'), join(folder, 'hypotheses.txt')];
  writeFileSync(data, rows.map(([source, reference]) => `${source}\t${reference}\n`).join(''));
  writeFileSync(hypotheses, rows.map((row) => `${row[2]}\n`).join(''));
  const args = ['evaluate', '--data', data, '--hypotheses', hypotheses, '--samples', '0', '--json'];
  const report = JSON.parse(execFileSync(qkv, args, { encoding: 'utf8' }));
  rmSync(folder, { recursive: true });
  return report.systems[0].bleu.score;
}

const count = (/** @type {string} */ text, /** @type {string} */ part) => text.split(part).length - 1;
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
translate(hand.map((line) => line.source)).forEach((output, i) => {
  const { source, tokens } = hand[i];
  const there = tokens.filter((token) => count(output, token) === count(source, token)).length;
  found += there;
  if (values.failures) console.log(`${there < tokens.length ? 'LOST ' : '     '}${source}\n     ${output}`);
});
console.log(`${pair}: ${found} of ${asked} tokens of ${hand.length} lines by hand exact and once`);

const outputs = translate(lines.map((line) => line.source));
/** @type {Map<string, [right: number, all: number]>} */
const byKind = new Map();
lines.forEach(({ kind, token, source }, i) => {
  const [right, all] = byKind.get(kind) ?? [0, 0];
  const isRight = count(outputs[i], token) === count(source, token);
  byKind.set(kind, [right + (isRight ? 1 : 0), all + 1]);
  if (!isRight && values.failures) console.log(`${kind}: ${source}\n  ${outputs[i]}`);
});
const right = [...byKind.values()].reduce((sum, [some]) => sum + some, 0);
console.log(
  [...byKind]
    .filter(([, [some, all]]) => some < all)
    .map(([kind, [some, all]]) => `${kind} ${some}/${all}`)
    .join(', '),
);
console.log(
  `${pair}: ${right} of ${lines.length} tokens of ${byKind.size} kinds exact and once (${((100 * right) / lines.length).toFixed(1)} %)`,
);

// The sentences around, where the token was added: with it, and as they were without it.
const added = lines
  .map((line, i) => ({ ...line, output: outputs[i] }))
  .filter(({ place }) => place !== 'name' && place !== 'number');
const plain = translate(added.map((line) => line.plain));
const reference = (/** @type {import('./lines.mjs').Line} */ { reference: text, token }) => without(text, token);
const withToken = bleu(added.map((line) => [line.plain, reference(line), without(line.output, line.token)]));
const alone = bleu(added.map((line, i) => [line.plain, reference(line), plain[i]]));
console.log(`BLEU of ${added.length} sentences around: ${withToken.toFixed(2)}; without a token ${alone.toFixed(2)}`);
if (values.failures) {
  for (const place of new Set(added.map((line) => line.place))) {
    const some = added.map((line, i) => ({ ...line, alone: plain[i] })).filter((line) => line.place === place);
    const [a, b] = [
      bleu(some.map((line) => [line.plain, reference(line), without(line.output, line.token)])),
      bleu(some.map((line) => [line.plain, reference(line), line.alone])),
    ];
    console.log(`  ${place}: ${a.toFixed(2)}; without a token ${b.toFixed(2)}`);
    some.slice(0, 8).forEach((l) => console.log('     ', l.source, '\n        ', l.output, '\n        ', l.alone));
  }
}

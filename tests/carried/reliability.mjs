// What confidence and the warning of the source language say, counted:
//   node tests/carried/reliability.mjs en-fr=PAIRS.tsv en-de=PAIRS.tsv en-es=PAIRS.tsv [--svg web/docs/carried.svg]
// PAIRS.tsv: English, tab, the other language. For each model: how many of the sentences below a confidence are worse than
// the median by chrF, and how often text in English, and in each of the other languages, gets the warning. Needs
// build/native/qkv.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { evaluate, readPairs, translate } from './command.mjs';
import { reliabilityPlot } from './plot.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { svg: { type: 'string' } } });
const kGroups = 10;
const kThresholds = Array.from({ length: 10 }, (_, i) => 0.4 + 0.05 * i);

/** @typedef {{confidence: number, chrf: number}} Judged a sentence */
/**
 * @typedef {object} Reliability
 * @property {string} name of the model
 * @property {{confidence: number, chrf: number}[]} groups means of a tenth of the sentences each, the least confident first
 * @property {{below: number, share: number, worse: number}[]} thresholds what part of the sentences has less confidence,
 *   and what part of these is worse than the median
 */

/** @param {string} model @param {string[]} sources */
function translateWithDoubt(model, sources) {
  const { lines, warnings } = translate(model, sources, '--confidence');
  const rows = lines.map((line) => line.split('\t'));
  return {
    confidence: rows.map(([first]) => Number(first)),
    lines: rows.map(([, ...rest]) => rest.join('\t')),
    foreign: warnings.filter((warning) => warning.includes('does not look like')).length / sources.length,
  };
}

/** @param {string} name @param {Judged[]} judged @returns {Reliability} */
function reliabilityOf(name, judged) {
  const mean = (/** @type {number[]} */ list) => list.reduce((sum, x) => sum + x, 0) / list.length;
  const ranked = [...judged].sort((a, b) => a.confidence - b.confidence);
  const median = judged.map(({ chrf }) => chrf).sort((a, b) => a - b)[judged.length >> 1];
  const groups = Array.from({ length: kGroups }, (_, i) => {
    const part = (/** @type {number} */ end) => Math.round((end * ranked.length) / kGroups);
    const group = ranked.slice(part(i), part(i + 1));
    return { confidence: mean(group.map((one) => one.confidence)), chrf: mean(group.map((one) => one.chrf)) };
  });
  const thresholds = kThresholds.map((below) => {
    const doubted = judged.filter(({ confidence }) => confidence < below);
    const worse = doubted.filter(({ chrf }) => chrf < median).length;
    return { below, share: doubted.length / judged.length, worse: worse / doubted.length };
  });
  return { name, groups, thresholds };
}

const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const sets = positionals.map((given) => given.split('=')).map(([model, file]) => ({ model, pairs: readPairs(file) }));
const reliabilities = sets.map(({ model, pairs }) => {
  const sources = pairs.map(([source]) => source);
  const { confidence, lines, foreign } = translateWithDoubt(model, sources);
  const [{ chrfBySentence = [] }] = evaluate(pairs, [lines], '--samples', '0', '--sentences');
  const found = reliabilityOf(
    model,
    confidence.map((each, i) => ({ confidence: each, chrf: chrfBySentence[i] })),
  );
  console.log(`${model}, ${pairs.length} sentences`);
  for (const { below, share, worse } of found.thresholds)
    console.log(`  below ${below.toFixed(2)}: ${percent(share)}, of these ${percent(worse)} worse than the median`);
  console.log(`  confidence ${found.groups.map((group) => group.confidence.toFixed(2)).join('  ')}`);
  console.log(`  chrF         ${found.groups.map((group) => group.chrf.toFixed(0)).join('    ')}`);
  const others = sets.map(({ model: other, pairs: texts }) => {
    const { foreign: share } = translateWithDoubt(
      model,
      texts.map(([, reference]) => reference),
    );
    return `${other.slice(-2)} ${percent(share)}`;
  });
  console.log(`  source-language: en ${percent(foreign)}, ${others.join(', ')}`);
  return found;
});
if (values.svg) writeFileSync(values.svg, reliabilityPlot(reliabilities));

// BLEU against the length of the source (Bahdanau et al. 2014, figure 2). The models of web/models/compared, trained
// alike, translate a file's sentences one by one, then two to six sentences joined to one line.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../web/tools/common.mjs';
import { lineChart } from './plot.mjs';

/** Folders, and their names in the plot. @type {[string, string][]} */
const kModels = [
  ['plain', 'no attention'],
  ['bahdanau', 'Bahdanau'],
  ['luong-dot', 'Luong, dot'],
  ['luong-general', 'Luong, general'],
  ['luong-local', 'Luong, local'],
  ['transformer', 'Transformer'],
];
const kMostJoined = 6;
const kLengths = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60]; // words; the upper bound of each row
const kFewest = 60; // sentences: BLEU of fewer means little

/** Every sentence alone, then two joined and so on. @param {string[][]} pairs */
const joined = (pairs) =>
  Array.from({ length: kMostJoined }, (_, i) => i + 1).flatMap((count) =>
    Array.from({ length: Math.floor(pairs.length / count) }, (_, i) => pairs.slice(i * count, (i + 1) * count)).map(
      (some) => [0, 1].map((side) => some.map((pair) => pair[side]).join(' ')),
    ),
  );

/**
 * @param {{qkv: string, data: string, build: string, docs: string}} places the command; a file of pairs, a tab between; where
 *   to work; where results go
 * @returns {Promise<string>} the result in a sentence
 */
export async function length({ qkv, data, build, docs }) {
  const pairs = readFileSync(data, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  mkdirSync(build, { recursive: true });
  const file = join(build, 'joined.tsv');
  writeFileSync(
    file,
    joined(pairs)
      .map((pair) => `${pair.join('\t')}\n`)
      .join(''),
  );
  const folders = kModels.map(([name]) => at('web', 'models', 'compared', name));
  const options = ['--data', file, '--beam', '1', '--no-perplexity', '--samples', '0', '--lengths', kLengths.join()];
  const { systems } = JSON.parse(
    execFileSync(qkv, ['evaluate', ...folders, ...options, '--json'], { encoding: 'utf8' }),
  );
  const rows = systems.map(({ bleu, byLength }, i) => ({
    name: kModels[i][1],
    bleu: round(bleu.score),
    byLength: byLength
      .filter(({ to, sentences }) => to && sentences >= kFewest)
      .map(({ from, to, sentences, bleu: score }) => ({ from, to, sentences, bleu: round(score) })),
  }));
  writeFileSync(join(docs, 'length.json'), `${JSON.stringify(rows, null, 2)}\n`);
  writeFileSync(join(docs, 'length.svg'), plot(rows));
  return rows.map(({ name, byLength }) => `${name} ${byLength[1].bleu} -> ${byLength.at(-1).bleu}`).join(', ');
}

const round = (value) => Number(value.toFixed(2));

const plot = (rows) =>
  lineChart({
    title: 'BLEU against the words of the source, for six models trained alike',
    series: rows.map(({ name, byLength }, i) => ({
      name,
      dashed: i === 0,
      points: byLength.map(({ from, to, bleu }) => ({ x: (Math.max(from, 1) + to) / 2, y: bleu })),
    })),
    x: { title: 'words of the source' },
    y: { title: 'BLEU' },
  });

// Luong's comparison (2015, section 5) on tasks small enough for three seeds each: scores, windows and input feeding.

import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError, say } from '../../web/tools/common.mjs';
import { answers, drawStrings, exact, pairs, writeVocabulary } from './letters.mjs';
import { colours, dotPanels } from './plot.mjs';
import { percent, writeJson } from './results.mjs';

const kSeeds = [1, 2, 3];
const kUnseen = 500;
const kSteps = 600;
const kLocal = { score: 'general', half_width: 3 };

/** Fields of config.json that differ between the models. */
const models = {
  plain: null,
  'global, dot': { score: 'dot' },
  'global, general': { score: 'general' },
  'global, concat': { score: 'concat' },
  'global, location': { score: 'location' },
  'local-m, general': { ...kLocal, window: 'local-m' },
  'local-p, general': { ...kLocal, window: 'local-p' },
};

function runConfig({ task, seed, model, feeding }) {
  const sizes = {
    d_model: 32,
    d_embedding: 32,
    encoder_layers: 1,
    decoder_layers: 1,
    max_position_embeddings: 64,
    scale_embedding: false, // for so few columns and so high a rate
    dropout: 0,
  };
  return {
    out: 'run',
    vocabulary: 'vocabulary',
    corpora: [{ path: `${task}.tsv` }],
    dev: `${task}.dev.tsv`,
    preset: model ? 'rnn-luong' : 'rnn-plain',
    model: { ...sizes, ...(model && { window: 'global', ...model, input_feeding: feeding }) },
    batch: { tokens: 500, longest: 64, joined: [1] },
    optimiser: { smoothing: 0 },
    schedule: { kind: 'cosine', peak: 0.01, warmup: 50 },
    steps: kSteps,
    seed,
    measure: { every: kSteps }, // the last weights are kept
    checkpoint: { every: kSteps },
  };
}

function command(qkv, args, input) {
  const { status, stdout, stderr } = spawnSync(qkv, args, { encoding: 'utf8', input });
  if (status !== 0) throw new ToolError(`qkv ${args[0]}: ${stderr.trim()}`);
  return stdout;
}

/** Trains one model and returns its share of correct answers. */
function measure({ qkv, build }, unseen, run) {
  rmSync(join(build, 'run'), { recursive: true, force: true });
  writeFileSync(join(build, 'run.json'), JSON.stringify(runConfig(run)));
  command(qkv, ['train', join(build, 'run.json'), '--threads', '1']);
  const options = ['--beam', '1', '--threads', '1'];
  const written = command(qkv, ['translate', '-m', join(build, 'run', 'model'), ...options], `${unseen.join('\n')}\n`);
  return exact(unseen, written.split('\n').slice(0, -1), answers[run.task]);
}

const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** Three panels, a row for each model: the mean of the seeds, and a line from the lowest to the highest. */
export function plotTasks(rows) {
  const kinds = [
    { name: 'without input feeding', colour: colours[1] },
    { name: 'with input feeding', colour: colours[0] },
  ];
  const mark = ({ accuracy, feeding }) => ({
    kind: feeding ? 1 : 0,
    value: mean(accuracy),
    low: Math.min(...accuracy),
    high: Math.max(...accuracy),
  });
  const panels = Object.keys(answers).map((task) => ({
    name: task,
    rows: Object.keys(models).map((model) => rows.filter((row) => row.task === task && row.model === model).map(mark)),
  }));
  return dotPanels({
    title: 'Share of unseen strings that each recurrent model writes without a mistake, by task',
    names: Object.keys(models),
    panels,
    kinds,
    axis: { title: 'strings without a mistake', ticks: [0, 0.5, 1], format: (x) => `${100 * x} %`, domain: [0, 1] },
  });
}

/** @param {import('./run.mjs').Places} places */
export async function tasks(places) {
  const { build, docs } = places;
  writeVocabulary(join(build, 'vocabulary'));
  const learnt = drawStrings({ count: 30_000, least: 2, most: 16, seed: 1 });
  const unseen = drawStrings({ count: kUnseen, least: 8, most: 16, seed: 2, known: new Set(learnt) });
  const rows = [];
  for (const [task, answer] of Object.entries(answers)) {
    writeFileSync(join(build, `${task}.tsv`), pairs(learnt, answer));
    // no selection by development data
    writeFileSync(join(build, `${task}.dev.tsv`), pairs(learnt.slice(0, 100), answer));
    for (const [name, model] of Object.entries(models)) {
      for (const feeding of model ? [false, true] : [false]) {
        const accuracy = kSeeds.map((seed) => measure(places, unseen, { task, seed, model, feeding }));
        rows.push({ task, model: name, feeding, accuracy });
        say(
          `${task}, ${name}${feeding ? ', input feeding' : ''}: ${accuracy.map((share) => percent(share)).join(', ')}`,
        );
      }
    }
  }
  await writeJson(join(docs, 'tasks.json'), { steps: kSteps, seeds: kSeeds, unseen: kUnseen, rows });
  writeFileSync(join(docs, 'tasks.svg'), plotTasks(rows));
  return `${rows.length} models of ${kSeeds.length} seeds`;
}

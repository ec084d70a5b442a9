// A pointer network for convex hulls (Vinyals et al. 2015, section 4.1), and one that sorts.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError, at } from '../../web/tools/common.mjs';
import { colours, lineChart } from './plot.mjs';
import { jsonLines, percent, writeJson } from './results.mjs';

/**
 * Their table 1: a pointer network trained on 5 to 50 points, and a plain LSTM trained on the number of points it is
 * tested on.
 */
const kPaper = {
  pointer: [
    { points: 5, accuracy: 0.92, area: 0.996 },
    { points: 10, accuracy: 0.87, area: 0.998 },
    { points: 50, accuracy: 0.696, area: 0.999 },
  ],
  lstm: [
    { points: 5, accuracy: 0.877, area: 0.996 },
    { points: 10, accuracy: 0.299 },
    { points: 50, accuracy: 0.019 },
  ],
};

const line = (name, rows, look) => ({
  name,
  points: rows.map(({ points, accuracy }) => ({ x: points, y: accuracy })),
  ...look,
});

export const plotHulls = (hulls) =>
  lineChart({
    title: 'Share of sets of points whose convex hull a pointer network walks without a mistake, by their number',
    series: [
      line('qkv, trained on 5 to 15', hulls, { colour: colours[0] }),
      line('paper, trained on 5 to 50', kPaper.pointer, { colour: colours[1], dashed: true }),
      line('paper, LSTM that does not point', kPaper.lstm, { colour: colours[6], dashed: true }),
    ],
    x: { title: 'points', log: true, ticks: [5, 10, 15, 20, 30, 50] },
    y: { title: 'hulls without a mistake', domain: [0, 1], format: (share) => percent(share, 0) },
  });

/** How many of 1,000 sets of ten numbers the test sorts. */
function sorted(tests, folder) {
  const report = join(folder, 'sorting.json');
  const args = ['--gtest_filter=PointerNetwork.SortsTenUnseenNumbers', `--gtest_output=json:${report}`];
  const { status, stdout } = spawnSync(tests, args, { cwd: at(), encoding: 'utf8' });
  if (status !== 0) throw new ToolError(stdout);
  const [test] = JSON.parse(readFileSync(report, 'utf8')).testsuites.flatMap(({ testsuite }) => testsuite);
  if (!test) throw new ToolError(`${tests} is too old to have a pointer network that sorts`);
  return Number(test.right);
}

/** @param {import('./run.mjs').Places} places */
export async function hull({ tool, build, docs }) {
  const sorting = { sets: 1000, right: sorted(await tool('qkv_tests'), build) };
  const hulls = await jsonLines(await tool('claim_hull'));
  await writeJson(join(docs, 'hull.json'), { hulls, paper: kPaper, sorting });
  writeFileSync(join(docs, 'hull.svg'), plotHulls(hulls));
  const sentences = hulls.map(
    ({ points, accuracy, area }) => `${points} points ${percent(accuracy)}, area ${percent(area)}`,
  );
  return `${sentences.join('; ')}; sorted ${sorting.right} of ${sorting.sets}`;
}

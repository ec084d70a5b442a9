// Each experiment of the Lab, trained from its seed as the page trains it. Its claim holds, and it takes at most two minutes of two
// cores.
// `npm test` tries the quickest; QKV_LAB=full tries all, as `npm run test:full` does.

import { Learner } from '../../web/demo/lab/learner.js';
import { presets } from '../../web/demo/lab/presets.js';
import { drawData } from '../../web/demo/lab/tasks.js';

const kQuick = ['pointer', 'place', 'hard'];
const kFull = process.env.QKV_LAB === 'full';
const kMost = 120; // seconds of one core for each model
const tried = presets.filter(({ id }) => kFull || kQuick.includes(id));

/** Trains a model to a step. The time is processor time, because other tests run too. */
async function trained(choice, data, preset) {
  const learner = await Learner.create(choice, data, { seed: preset.seed, rate: preset.rate, worker: false });
  const { user } = process.cpuUsage();
  await learner.begin();
  while (learner.step < preset.steps) await learner.advance(preset.steps);
  return { learner, seconds: (process.cpuUsage().user - user) / 1e6 };
}

test.each(tried.map((preset) => [preset.id, preset]))(
  '%s',
  async (id, preset) => {
    const data = drawData(preset.task, preset);
    const made = [];
    for (const choice of preset.models) made.push(await trained(choice, data, preset));
    const learners = made.map(({ learner }) => learner);
    const { holds, says } = await preset.check(learners, data);
    const seconds = made.map((one) => one.seconds);
    console.log(`${id}: ${says} Seconds: ${seconds.map((one) => one.toFixed(1)).join(' and ')}.`);
    for (const learner of learners) learner.destroy();
    expect([holds, says]).toEqual([true, says]);
    for (const each of seconds) expect(each).toBeLessThan(kMost);
  },
  600_000,
);

// The experiments of the Lab. Each is a claim with its reason, one model or two, and a check of the claim. With the same seed
// an experiment gives the same bits.

import { kDefaults } from './models.js';
import { facts } from './facts.js';

/** @typedef {import('./learner.js').Learner} Learner */
/** @typedef {import('./models.js').ModelChoice} ModelChoice */

/**
 * @typedef {object} Preset
 * @property {string} id its name in addresses
 * @property {string} name
 * @property {string} claim a sentence
 * @property {string} reason why the claim holds
 * @property {string} task
 * @property {[number, number]} [lengths] of the sources
 * @property {number} seed
 * @property {number} rate
 * @property {number} steps how many steps are trained before the check
 * @property {ModelChoice[]} models one, or two to compare
 * @property {(learners: Learner[], data: import('./tasks.js').Data) => Promise<{holds: boolean, says: string}>} check
 */

const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;

/** @type {Preset[]} */
export const presets = [
  {
    id: 'alignment',
    name: 'Alignment emerges',
    claim: 'The model learns where to look without being told.',
    reason:
      'To write a string backwards, each step needs one letter. The weights are differentiable, so training moves them ' +
      'to that letter: the matrix becomes the other diagonal (Bahdanau et al. 2014).',
    task: 'reversal',
    lengths: [2, 12],
    seed: 1,
    rate: 0.005,
    steps: 300,
    models: [kDefaults.bahdanau],
    check: async ([learner], { unseen }) => {
      const before = await learner.atStep(0, () => facts.onDiagonal(learner, unseen));
      const after = await facts.onDiagonal(learner, unseen);
      return {
        holds: before < 0.3 && after > 0.5,
        says: `The letter that is needed gets ${percent(after)} of the weight; at the start it was ${percent(before)}.`,
      };
    },
  },
  {
    id: 'bottleneck',
    name: 'The bottleneck of one vector',
    claim: 'Without attention, long strings fail.',
    reason:
      'The model without attention reads the whole source into one state of fixed size, which all letters share. With ' +
      'attention every state of the encoder can be read (Cho et al. 2014; Bahdanau et al. 2014).',
    task: 'copy',
    lengths: [2, 12],
    seed: 1,
    rate: 0.005,
    steps: 400,
    models: [kDefaults.plain, kDefaults.bahdanau],
    check: async (learners, { unseen }) => {
      const [plain, attends] = await Promise.all(learners.map((one) => facts.byLength(one, unseen, 8)));
      return {
        holds: plain.long < 0.2 && attends.long > plain.long + 0.4,
        says: `Of the strings of 8 letters or more, ${percent(plain.long)} are right without attention and ${percent(attends.long)} with it; of the shorter ones, ${percent(plain.short)} and ${percent(attends.short)}.`,
      };
    },
  },
  {
    id: 'place',
    name: 'dot and place',
    claim: 'A dot product compares contents, not places.',
    reason:
      'To copy, step t needs place t, whatever letter is there. The score dot has no weights, so the states of both sides ' +
      'would have to count places in the same way. The score location has a weight for each place (Luong et al. 2015).',
    task: 'copy',
    lengths: [2, 12],
    seed: 1,
    rate: 0.005,
    steps: 300,
    models: [
      { ...kDefaults.luong, score: 'dot' },
      { ...kDefaults.luong, score: 'location' },
    ],
    check: async (learners, { unseen }) => {
      const [dot, location] = await Promise.all(learners.map((one) => one.accuracy(unseen)));
      return {
        holds: location > dot + 0.3,
        says: `Right after 300 steps: ${percent(dot)} with dot, ${percent(location)} with location.`,
      };
    },
  },
  {
    id: 'local',
    name: 'local-p finds its place',
    claim: 'A predicted window goes where it is needed. A window that moves with the step does not.',
    reason:
      'local-m looks around place t at step t. A reversed string needs that place only in the middle. local-p computes the ' +
      'centre of its window from the decoder’s state, and learns to move backwards (Luong et al. 2015).',
    task: 'reversal',
    lengths: [2, 14],
    seed: 1,
    rate: 0.005,
    steps: 300,
    models: [
      { ...kDefaults.luong, window: 'local-m' },
      { ...kDefaults.luong, window: 'local-p' },
    ],
    check: async (learners, { unseen }) => {
      const [moves, predicts] = await Promise.all(learners.map((one) => one.accuracy(unseen)));
      const away = await facts.awayFromDiagonal(learners[1], unseen);
      return {
        holds: predicts > moves + 0.3 && away < 2,
        says: `Right: ${percent(moves)} with local-m, ${percent(predicts)} with local-p. The centres of local-p are ${away.toFixed(1)} places away from the letter on average.`,
      };
    },
  },
  {
    id: 'hard',
    name: 'Hard attention by REINFORCE',
    claim: 'The choice of one place is learnt from rewards, although it has no gradient.',
    reason:
      'Hard attention reads one place, and a choice has no derivative. So the model draws places. If the letter becomes ' +
      'more probable than usual, the place is made more probable, else less: REINFORCE (Williams 1992; Xu et al. 2015). ' +
      'Soft attention learns from all places at once, and faster.',
    task: 'copy',
    lengths: [2, 6],
    seed: 1,
    rate: 0.005,
    steps: 400,
    models: [{ ...kDefaults.luong, selection: 'hard' }, kDefaults.luong],
    check: async (learners, { unseen }) => {
      const [hard, soft] = await Promise.all(learners.map((one) => one.accuracy(unseen)));
      const before = await learners[0].atStep(0, () => facts.onCopied(learners[0], unseen));
      const after = await facts.onCopied(learners[0], unseen);
      return {
        holds: hard > 0.7 && after > before + 0.2,
        says: `Right: ${percent(hard)} with one place, ${percent(soft)} with all. The model reads the place of the letter or the next one, whose state also knows the letter, in ${percent(after)} of the steps; at the start in ${percent(before)}.`,
      };
    },
  },
  {
    id: 'positions',
    name: 'Why positions',
    claim: 'Without positions a Transformer cannot reverse.',
    reason:
      'Attention sees a set: if the rows of the encoder change places, its outputs change places with them. Nothing says ' +
      'which letter was the last one. The sinusoids add the positions (Vaswani et al. 2017, section 3.5).',
    task: 'reversal',
    lengths: [2, 8],
    seed: 1,
    rate: 0.006,
    steps: 400,
    models: [{ ...kDefaults.transformer, positions: false }, kDefaults.transformer],
    check: async (learners, { unseen }) => {
      const [without, with_] = await Promise.all(learners.map((one) => one.accuracy(unseen)));
      return {
        holds: without < 0.3 && with_ > without + 0.4,
        says: `Right: ${percent(without)} without positions, ${percent(with_)} with them.`,
      };
    },
  },
  {
    id: 'scale',
    name: 'Why √d',
    claim: 'Without the division by √d, the softmax is saturated from the start.',
    reason:
      'The product of two vectors of d independent numbers has variance d. The softmax of large scores puts almost all ' +
      'weight on one key, and its gradient is almost 0. The division by √d keeps the variance at 1 (Vaswani et al. 2017, section 3.2.1).',
    task: 'reversal',
    lengths: [2, 8],
    seed: 1,
    rate: 0.006,
    steps: 300,
    models: [
      { kind: 'transformer', width: 96, layers: 1, heads: 1, scaled: false },
      { kind: 'transformer', width: 96, layers: 1, heads: 1 },
    ],
    check: async (learners, { unseen }) => {
      const [raw, scaled] = await Promise.all(
        learners.map((one) => one.atStep(0, () => facts.largest(one, unseen.slice(0, 20)))),
      );
      const [without, with_] = await Promise.all(learners.map((one) => one.accuracy(unseen)));
      return {
        holds: raw > scaled + 0.15 && with_ > without,
        says: `At step 0 the largest weight of a row was ${percent(raw)} without the scale and ${percent(scaled)} with it. At the end ${percent(without)} and ${percent(with_)} are right.`,
      };
    },
  },
  {
    id: 'heads',
    name: 'Why several heads',
    claim: 'Four heads learn faster than one head of the same total width.',
    reason:
      'The next digit of a sorted string depends on several places at once: which digits there are, and how many were ' +
      'written. One head has one distribution, so it gets one mean of all places. Four heads look at different places, at ' +
      'the same cost (Vaswani et al. 2017, section 3.2.2).',
    task: 'sorting',
    lengths: [2, 12],
    seed: 1,
    rate: 0.006,
    steps: 300,
    models: [
      { kind: 'transformer', width: 48, layers: 1, heads: 1 },
      { kind: 'transformer', width: 48, layers: 1, heads: 4 },
    ],
    check: async (learners, { unseen }) => {
      const [one, four] = await Promise.all(learners.map((each) => each.accuracy(unseen)));
      const [last, lastOfFour] = learners.map(({ points }) => /** @type {number} */ (points.at(-1)?.loss));
      return {
        holds: four > one + 0.1 && lastOfFour < last,
        says: `Right after 300 steps: ${percent(one)} with one head, ${percent(four)} with four; the loss is ${last.toFixed(2)} and ${lastOfFour.toFixed(2)}.`,
      };
    },
  },
  {
    id: 'pointer',
    name: 'A pointer sorts',
    claim: 'If attention is the output, sets of any size can be sorted.',
    reason:
      'A pointer network has no vocabulary: each step writes the place that the attention chooses. So numbers need no ' +
      'pieces of their own, and sets may have any size (Vinyals et al. 2015).',
    task: 'numbers',
    lengths: [3, 6],
    seed: 1,
    rate: 0.01,
    steps: 800,
    models: [{ kind: 'pointer', width: 32 }],
    check: async ([learner], { unseen }) => {
      const right = await learner.accuracy(unseen);
      return { holds: right > 0.7, says: `Of the unseen sets, ${percent(right)} are right.` };
    },
  },
];

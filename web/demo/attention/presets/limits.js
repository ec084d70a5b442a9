// What attention does not tell: other weights may give the same result.

import { papers } from '../papers.js';

/** @type {import('../presets.js').Preset} */
export const limits = {
  id: 'limits',
  title: 'What attention does not tell',
  about: [
    'A large weight says that a value was read. It does not say that the answer would have been another one without it. Here the first two values are the same, so the weights may move between their keys, and the context stays.',
    'Jain and Wallace changed the weights of trained models in this way and often got the same predictions. Wiegreffe and Pinter answered that such weights are not what a model would learn. Both are right: weights are a record, not a reason.',
  ],
  equations: [
    '\\c{c} = ∑_j \\w{a_j} \\v{v_j}',
    '\\v{v_1} = \\v{v_2}: \\w{a_1} + \\w{a_2} \\text{ matters, and not each}',
  ],
  papers: [papers.jain, papers.wiegreffe],
  state: () => ({
    query: [[1.2, 0.4]],
    queryNames: ['the answer'],
    key: [
      [2, 0],
      [0.5, 0.5],
      [-1, 0.3],
    ],
    keyNames: ['great', 'wonderful', 'the'],
    value: [
      [1, 0.5],
      [1, 0.5],
      [-0.2, 0],
    ],
    score: 'dot',
    pinned: { matrix: 'context', row: 0, column: 0 },
  }),
};

// What attention does not explain: other weights may give the same result.

import { papers } from '../papers.js';
import { texts } from '../texts.js';

/** @type {import('../presets.js').Preset} */
export const limits = {
  id: 'limits',
  equations: [
    '\\c{c} = ∑_j \\w{a_j} \\v{v_j}',
    '\\v{v_1} = \\v{v_2}: \\w{a_1} + \\w{a_2} \\text{ matters, and not each}',
  ],
  papers: [papers.jain, papers.wiegreffe],
  state: () => ({
    query: [[1.2, 0.4]],
    queryNames: [texts.lessons.limits.asked],
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

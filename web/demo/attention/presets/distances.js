// Relative positions: a number, or a vector, for each distance between a query and a key.

import { papers } from '../papers.js';

const kSame = 5; // words that are alike, so that nothing but the distance tells them apart
const alike = () => Array.from({ length: kSame }, () => [1, 0.5]);

/** @type {import('../presets.js').Preset} */
export const distances = {
  id: 'distances',
  equations: [
    '\\s{s_{ij}} = \\q{q_i}^⊤ \\k{k_j} + b_{j − i}',
    '\\s{s_{ij}} = \\frac{\\q{q_i}^⊤ (\\k{k_j} + a_{j − i})}{\\sqrt{d}}',
  ],
  papers: [papers.shaw, papers.raffel],
  state: () => ({
    query: alike(),
    queryNames: Array.from({ length: kSame }, (_, i) => `la ${i}`),
    key: alike(),
    keyNames: Array.from({ length: kSame }, (_, j) => `la ${j}`),
    value: Array.from({ length: kSame }, (_, j) => [j, kSame - 1 - j]),
    score: 't5',
    parameters: {
      b: [
        [2, 0.5, -1],
        [0, 0.5, -1],
      ],
      distance: [[4]],
    },
    pinned: { matrix: 'scores', row: 2, column: 1 },
  }),
};

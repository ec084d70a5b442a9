// What BERT and GPT may see: one mask is the whole difference.

import { papers } from '../papers.js';
import { randomMatrix } from '../random.js';

/** @type {import('../presets.js').Preset} */
export const readers = {
  id: 'readers',
  equations: ['\\text{GPT}: \\s{l_{ij}} = −∞ \\text{ where } j > i', '\\text{BERT}: \\text{nothing is hidden}'],
  papers: [papers.devlin, papers.radford],
  state: () => ({
    query: randomMatrix(97, 5, 3, 1.2),
    queryNames: ['the', 'cat', 'sat', 'down', '.'],
    memory: 'self',
    causal: true,
  }),
};

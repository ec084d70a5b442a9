// What BERT and GPT may see: one mask is the whole difference.

import { papers } from '../papers.js';
import { randomMatrix } from '../random.js';

/** @type {import('../presets.js').Preset} */
export const readers = {
  id: 'readers',
  title: 'BERT and GPT',
  about: [
    'Both are the same layers over one text. GPT is asked for the next word, so a word may see only those before it: the causal mask. BERT is asked for a word that was hidden, so it may look to both sides.',
    'Therefore GPT can write and BERT cannot, and BERT’s vector of a word knows the whole sentence. The page Understand has a BERT to ask, the page Generate a GPT.',
  ],
  equations: ['\\text{GPT}: \\s{l_{ij}} = −∞ \\text{ where } j > i', '\\text{BERT}: \\text{nothing is hidden}'],
  papers: [papers.devlin, papers.radford],
  state: () => ({
    query: randomMatrix(97, 5, 3, 1.2),
    queryNames: ['the', 'cat', 'sat', 'down', '.'],
    memory: 'self',
    causal: true,
  }),
};

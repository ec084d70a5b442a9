// Bahdanau's attention: a network with one hidden layer scores a state of the decoder and a state of the encoder.

import { papers } from '../papers.js';
import { texts } from '../texts.js';

const kWords = ['I', 'love', 'you', '.'];

/** @type {import('../presets.js').Preset} */
export const additive = {
  id: 'additive',
  equations: [
    '\\s{s_j} = w_v^⊤ \\text{tanh}(W_q \\q{h_{t−1}} + W_k \\k{h_j})',
    '\\c{c_t} = ∑_j \\text{softmax}(\\s{s})_j \\v{h_j}',
  ],
  papers: [papers.bahdanau],
  state: () => ({
    query: [
      [1, -0.5],
      [-0.6, 1],
      [0.2, 0.9],
    ],
    queryNames: ['je', 't’', 'aime'].map(texts.lessons.additive.before),
    key: [
      [1.2, 0.1, 0],
      [0.1, 0.2, 1.3],
      [0, 1.2, 0.2],
      [-0.8, -0.7, -0.6],
    ],
    keyNames: kWords,
    memory: 'one',
    score: 'additive',
    parameters: {
      W_q: [
        [2, 0],
        [-1, 1.5],
        [0, 1],
      ],
      W_k: [
        [1.5, 0, 0],
        [0, 1.5, 0],
        [0, 0, 1.5],
      ],
      w_v: [[2, 2, 1.5]],
    },
  }),
};

// Bahdanau's attention: one hidden layer scores how well a state of the decoder and a state of the encoder fit.

import { papers } from '../papers.js';

const kWords = ['I', 'love', 'you', '.'];

/** @type {import('../presets.js').Preset} */
export const additive = {
  id: 'additive',
  title: 'Bahdanau, step by step',
  about: [
    'Before it writes a word, the decoder has a state h(t − 1). A small network with one hidden layer scores it against each state of the encoder. The softmax makes weights a of the scores, and the context c is the mean of the encoder’s states. From c and h(t − 1) comes the new state h(t).',
    'Press “Step through” to see one stage at a time. The matrices W_q, W_k and w_v are learnt together with the translator; here you can change them.',
  ],
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
    queryNames: ['before “je”', 'before “t’”', 'before “aime”'],
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

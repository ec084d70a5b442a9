// Attention sinks: a window that moves along the text and keeps the first words.

import { papers } from '../papers.js';

const kWords = ['once', 'there', 'was', 'a', 'cat', 'who', 'liked', 'milk'];

/** @type {import('../presets.js').Preset} */
export const sinks = {
  id: 'sinks',
  equations: ['\\w{a_{tj}} = 0 \\text{ unless } t − D ≤ j ≤ t \\text{ or } j < s'],
  papers: [papers.xiao],
  state: () => ({
    query: kWords.map((_, t) => [2, 0.4 * Math.cos(t)].map((x) => Math.round(100 * x) / 100)),
    queryNames: kWords.map((word, t) => `${t}: ${word}`),
    // The first key fits every query, as the first words of a text do in trained models.
    key: [[1.6, 0], ...kWords.slice(1).map((_, j) => [0.1, Math.round(100 * Math.sin(j + 1)) / 100])],
    keyNames: kWords,
    value: [[0, 0], ...kWords.slice(1).map((_, j) => [j % 2, 1 - (j % 3)])],
    causal: true,
    window: 'local-m',
    halfWidth: 2,
    pinned: { matrix: 'weights', row: 6, column: 0 },
  }),
};

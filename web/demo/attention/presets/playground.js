import { papers } from '../papers.js';

/** @type {import('../presets.js').Preset} */
export const playground = {
  id: 'playground',
  title: 'Playground',
  about: [
    'Each query asks each key how well it fits. The softmax makes weights of the answers, and the context is the mean of the values by these weights.',
    'Drag a number and watch what it moves. Every choice of the family is at hand, and all of them go together.',
  ],
  equations: ['\\c{C} = \\text{softmax}(\\frac{\\q{Q} \\k{K}^⊤}{\\sqrt{d}}) \\v{V}'],
  papers: [papers.vaswani],
  // One cell is kept from the start: a first look shows what pointing at one does.
  state: () => ({ pinned: { matrix: 'context', row: 1, column: 1 } }),
};

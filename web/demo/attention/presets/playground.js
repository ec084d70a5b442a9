import { equationsOf } from '../equations.js';
import { papers } from '../papers.js';
import { firstState } from '../state.js';

const kVaswani = '\\c{C} = \\text{softmax}(\\frac{\\q{Q} \\k{K}^⊤}{\\sqrt{d}}) \\v{V}';

const kNothingHidden = '\\s{L} = \\s{S}';

/** @type {import('../presets.js').Preset} */
export const playground = {
  id: 'playground',
  title: 'Playground',
  about: [
    'Each query asks each key how well it fits. The softmax makes weights of the answers, and the context is the mean of the values by these weights.',
    'Drag a number and watch what it moves. Every choice of the family is at hand, and all of them go together.',
  ],
  equations: [kVaswani],
  // Vaswani's, while that is what is chosen; else every stage, without one that does nothing.
  equationsOf(state) {
    const [lines, first] = [state, firstState()].map((one) => equationsOf(one).map(({ source }) => source));
    if (lines.join() === first.join()) return [kVaswani];
    const rest = lines.filter((line) => line !== kNothingHidden);
    return rest.length === lines.length ? lines : rest.map((line) => line.replace('(\\s{L})', '(\\s{S})'));
  },
  papers: [papers.vaswani],
  // One cell is kept from the start: a first look shows what pointing at one does.
  state: () => ({ pinned: { matrix: 'context', row: 1, column: 1 } }),
};

// The playground: the page's first state, and the equation of what the reader chose.

import { equationsOf } from '../equations.js';
import { papers } from '../papers.js';
import { firstState } from '../state.js';

const kVaswani = '\\c{C} = \\text{softmax}(\\frac{\\q{Q} \\k{K}^⊤}{\\sqrt{d}}) \\v{V}';

const kNoMask = '\\s{L} = \\s{S}';

/** @type {import('../presets.js').Preset} */
export const playground = {
  id: 'playground',
  equations: [kVaswani],
  // The equation of Vaswani et al. for the first choices; for others a line for each stage that has an effect.
  equationsOf(state) {
    const [lines, first] = [state, firstState()].map((one) => equationsOf(one).map(({ source }) => source));
    if (lines.join() === first.join()) return [kVaswani];
    const rest = lines.filter((line) => line !== kNoMask);
    return rest.length === lines.length ? lines : rest.map((line) => line.replace('(\\s{L})', '(\\s{S})'));
  },
  papers: [papers.vaswani],
  // One cell is pinned at the start, to show what pointing does.
  state: () => ({ pinned: { matrix: 'context', row: 1, column: 1 } }),
};

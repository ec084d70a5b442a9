import { equationsOf } from '../equations.js';
import { papers } from '../papers.js';
import { firstState } from '../state.js';

const kVaswani = '\\c{C} = \\text{softmax}(\\frac{\\q{Q} \\k{K}^⊤}{\\sqrt{d}}) \\v{V}';

const kNothingHidden = '\\s{L} = \\s{S}';

/** @type {import('../presets.js').Preset} */
export const playground = {
  id: 'playground',
  equations: [kVaswani],
  // The equation of Vaswani et al. if it is chosen; otherwise every stage that has an effect.
  equationsOf(state) {
    const [lines, first] = [state, firstState()].map((one) => equationsOf(one).map(({ source }) => source));
    if (lines.join() === first.join()) return [kVaswani];
    const rest = lines.filter((line) => line !== kNothingHidden);
    return rest.length === lines.length ? lines : rest.map((line) => line.replace('(\\s{L})', '(\\s{S})'));
  },
  papers: [papers.vaswani],
  // One cell is pinned at the start, to show the effect of pointing.
  state: () => ({ pinned: { matrix: 'context', row: 1, column: 1 } }),
};

// Linear attention: weights from a feature map, and the same result by sums that need no weights.

import { linearAttention } from '../../../lib/attention/index.js';
import { make, slider } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { Plot } from '../plot.js';
import { randomMatrix } from '../random.js';
import { keysOf, valuesOf } from '../state.js';
import { texts } from '../texts.js';

const kMost = 4096;
const kWords = ['one', 'by', 'one', 'they', 'came', 'in'];

/** Multiplications for n words of d columns: for all pairs; or to write and read a state of d rows and d + 1 columns. */
const kKinds = [
  { role: 'without', cost: (/** @type {number} */ n, /** @type {number} */ d) => 2 * n * n * d },
  { role: 'with', cost: (/** @type {number} */ n, /** @type {number} */ d) => 2 * n * d * (d + 1) },
];

/** @type {import('../presets.js').Preset} */
export const linear = {
  id: 'linear',
  equations: [
    '\\c{c_i} = \\frac{φ(\\q{q_i})^⊤ ∑_j φ(\\k{k_j}) \\v{v_j}^⊤}{φ(\\q{q_i})^⊤ ∑_j φ(\\k{k_j})}',
    '\\text{cost}: n^2 d → n d^2',
  ],
  papers: [papers.katharopoulos],
  state: () => ({
    query: randomMatrix(131, kWords.length, 3, 1.4),
    queryNames: kWords,
    memory: 'self',
    score: 'linear',
    causal: true,
    scene: { d: 64 },
  }),
  scene: (workbench) => {
    // A plot of the costs over the number of words, and the width of vectors.
    const own = texts.lessons.linear;
    const costs = new Plot({
      x: { name: own.words, from: 2, to: kMost, ticks: [2, 8, 32, 128, 512, 2048], isLog: true },
      y: { name: own.costs, from: 1e-4, to: 10_000, ticks: [0.01, 1, 100, 10_000], isLog: true },
      height: 230,
    });
    const width = slider(own.width, { min: 16, max: 256, step: 16 }, (d) => workbench.change({ scene: { d } }));
    const same = make('p.caption', { role: 'status' });
    const sizes = Array.from({ length: 40 }, (_, i) => 2 * (kMost / 2) ** (i / 39));
    return {
      node: make('div.picture.stacked', {}, costs.node, make('div.settings', {}, width.node), same),
      async show(state, result) {
        const d = Number(state.scene.d) || 64;
        width.set(d);
        costs.show(own.sentence(d + 2), () =>
          kKinds.flatMap(({ role, cost }, i) => {
            const points = sizes.map((n) => /** @type {[number, number]} */ ([n, cost(n, d) / 1e6]));
            const [x, y] = points[i === 0 ? 32 : 36];
            const place = i === 0 ? { dx: -8, dy: -8, 'text-anchor': 'end' } : { dx: 0, dy: 20, 'text-anchor': 'end' };
            return [costs.line(points, role), costs.text(x, y, own.kinds[i], role, place)];
          }),
        );
        same.textContent = result ? await comparison(state, result) : '';
      },
    };
  },
};

/**
 * A sentence about the difference between the outputs by sums and by weights, if both compute the same.
 * @param {import('../state.js').State} state
 * @param {import('../compute.js').Result} result
 */
async function comparison(state, result) {
  const { causal, padding, allowed, bias, once, window, selection, temperature, heads, score, query } = state;
  const isPlain = !padding && !allowed && !bias && !once && window === 'global' && selection === 'soft';
  const key = keysOf(state);
  const isSame = isPlain && temperature === 1 && heads === 1 && score === 'linear';
  if (!isSame || (causal && key.length !== query.length)) return texts.lessons.linear.none;
  const { output, state: sums } = await linearAttention({ query, key, value: valuesOf(state), causal });
  const apart = Array.from(output.data, (x, i) => Math.abs(x - result.output.data[i]));
  return texts.lessons.linear.same(sums.data.length, Math.max(...apart).toExponential(1));
}

// Decoding with a cache: the keys and values of the written words are kept, and only the newest word is a query.

import { attention } from '../../../lib/attention/index.js';
import { checkbox, make, slider } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { Plot } from '../plot.js';
import { randomMatrix } from '../random.js';
import { within } from '../state.js';
import { texts } from '../texts.js';

const kWords = ['‹s›', 'my', 'brother', 'lives', 'here', '.'];
const kSize = 4;
const kMost = 32;
const [kQueries, kKeys, kValues] = [151, 152, 153].map((seed) => randomMatrix(seed, kWords.length, kSize));

/** The attention of the step after t words. @param {number} t @param {boolean} isCached */
function stepOf(t, isCached) {
  const from = isCached ? t - 1 : 0;
  return {
    query: kQueries.slice(from, t),
    queryNames: kWords.slice(from, t),
    key: kKeys.slice(0, t),
    value: kValues.slice(0, t),
    keyNames: kWords.slice(0, t),
    causal: !isCached,
  };
}

/** How many products of a query with a key there are until step n: all queries in each step, or only the newest. */
const kCosts = {
  anew: (/** @type {number} */ n) => (n * (n + 1) * (2 * n + 1)) / 6,
  cached: (/** @type {number} */ n) => (n * (n + 1)) / 2,
};

/** @type {import('../presets.js').Preset} */
export const decoder = {
  id: 'decoder',
  equations: [
    '\\c{c_t} = \\text{softmax}(\\frac{\\q{q_t}^⊤ \\k{K_{1…t}}}{\\sqrt{d}}) \\v{V_{1…t}}',
    '\\k{K_{1…t}} = [\\k{K_{1…t−1}}; \\k{k_t}]',
  ],
  papers: [papers.vaswani, papers.shazeer],
  state: () => ({ ...stepOf(4, false), scene: { t: 4, cache: 0 } }),
  scene: (workbench) => {
    // A plot of the products, and the choice of the step and of the cache.
    const own = texts.lessons.decoder;
    const costs = new Plot({
      x: { name: own.words, from: 1, to: kMost, ticks: [1, 8, 16, 24, 32] },
      y: { name: own.products, from: 0, to: 12_000, ticks: [0, 4000, 8000, 12_000] },
      height: 230,
    });
    const set = (/** @type {Record<string, number>} */ patch) => {
      const scene = { ...workbench.state().scene, ...patch };
      workbench.open({ ...stepOf(Number(scene.t), Boolean(scene.cache)), scene, pinned: null });
    };
    const step = slider(own.step, { min: 1, max: kWords.length, step: 1 }, (t) => set({ t }));
    const cache = checkbox(own.cache, (on) => set({ cache: Number(on) }));
    const text = make('p.written');
    const said = make('p.verdict', { role: 'status' });
    return {
      node: make(
        'div.picture',
        {},
        make('div', {}, text, costs.node),
        make('div.settings', {}, step.node, cache.node, said),
      ),
      async show(state, result) {
        const t = within(state.scene.t, 1, kWords.length);
        const isCached = Boolean(state.scene.cache);
        step.set(t);
        cache.set(isCached);
        text.textContent = own.written(kWords.slice(1, t).join(' '));
        costs.show(own.said(kMost, kCosts.anew(kMost), kCosts.cached(kMost)), () =>
          /** @type {const} */ (['anew', 'cached']).flatMap((kind, i) => {
            const points = Array.from(
              { length: kMost },
              (_, n) => /** @type {[number, number]} */ ([n + 1, kCosts[kind](n + 1)]),
            );
            const role = ['without', 'with'][i];
            const [x, y] = points[kMost - 4];
            return [
              costs.line(points, role),
              costs.text(x, y, own.kinds[i], role, { dx: -8, dy: -8, 'text-anchor': 'end' }),
              costs.dot(t, kCosts[kind](t), role, 4),
            ];
          }),
        );
        if (!result || state.heads > 1) return;
        said.textContent = own.verdict(t, isCached ? t : t * t, await difference(state, result));
      },
    };
  },
};

/**
 * The largest difference between the newest word's contexts with the cache and without it.
 * @param {import('../state.js').State} state
 * @param {import('../compute.js').Result} result
 */
async function difference({ query, key, value }, result) {
  const { output } = await attention({ query: query.slice(-1), key, value, record: [] });
  const last = Array.from(result.output.data).slice(-output.data.length);
  return Math.max(...last.map((x, c) => Math.abs(x - output.data[c])));
}

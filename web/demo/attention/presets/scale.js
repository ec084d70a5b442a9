// Why scores are scaled: with more dimensions the softmax becomes sharper, and its gradient smaller.

import { attention } from '../../../lib/attention/index.js';
import { bars } from '../../shared/bars.js';
import { make, slider } from '../../shared/dom.js';
import { entropy, jacobianNorm } from '../measures.js';
import { papers } from '../papers.js';
import { Plot } from '../plot.js';
import { normal, randomMatrix } from '../random.js';
import { keysOf, namesOf } from '../state.js';
import { texts } from '../texts.js';

const kSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const kKeys = 8;
const kQueries = 64;
const kShownSizes = [1, 2, 4, 8, 16, 32];

/** @param {number} d */
const shownState = (d) => ({ query: randomMatrix(20, 3, d), key: randomMatrix(21, kKeys, d) });

/** @type {import('../presets.js').Preset} */
export const scale = {
  id: 'scale',
  equations: ['\\text{Var}(\\q{q}^⊤ \\k{k}) = d', 'J = \\text{diag}(\\w{a}) − \\w{a} \\w{a}^⊤'],
  papers: [papers.vaswani],
  state: () => ({ ...shownState(8), value: randomMatrix(22, kKeys, 2), scene: { d: 8 } }),
  scene: (workbench) => {
    // Two plots over the size, and the size of the matrices on the page.
    const own = texts.lessons.scale;
    const x = { name: own.size, from: 1, to: 512, ticks: kSizes, isLog: true };
    const entropies = new Plot({
      x,
      y: { name: own.entropyAxis, from: 0, to: 2.1, ticks: [0, 0.5, 1, 1.5, 2] },
      height: 230,
    });
    const norms = new Plot({
      x,
      y: { name: own.jacobianAxis, from: 0, to: 0.4, ticks: [0, 0.1, 0.2, 0.3, 0.4] },
      height: 230,
    });
    const size = slider(
      own.below,
      { min: 0, max: kShownSizes.length - 1, step: 1, say: (at) => String(kShownSizes[at]) },
      (at) => {
        const d = kShownSizes[at];
        workbench.change({ ...shownState(d), scene: { d }, pinned: null });
      },
    );
    const note = make('p.caption', {}, own.note(kQueries, kKeys));
    // The first query's weights by both scores.
    const both = /** @type {const} */ ([
      ['dot', own.plain],
      ['scaled-dot', own.scaled],
    ]).map(([score, name]) => ({ score, name, title: make('h3'), list: bars(name) }));
    /** @type {ReturnType<typeof measure> | null} */
    let measured = null;
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.settings', {}, size.node),
        make('div.two', {}, ...both.map(({ title, list }) => make('div', {}, title, list.node))),
        make('div.two', {}, entropies.node, norms.node),
        note,
      ),
      async show(state) {
        const d = Number(state.scene.d);
        size.set(Math.max(0, kShownSizes.indexOf(d)));
        const { queries, keys } = namesOf(state);
        const [query, key] = [state.query.slice(0, 1), keysOf(state)];
        for (const { score, name, title, list } of query[0].length === key[0].length ? both : []) {
          const { weights } = await attention({ query, key, score, record: ['weights'] });
          title.textContent = own.twoSoftmaxes(queries[0], name);
          list.show(keys.map((named, j) => ({ name: named, value: weights.data[j] })));
        }
        // The entropy and the norm of the Jacobian, measured once.
        const found = await (measured ??= measure());
        drawMeasure(entropies, found, 0, own.entropy, d);
        drawMeasure(norms, found, 1, own.jacobian, d);
      },
    };
  },
};

/**
 * Draws a measure over the size, without the scale and with it.
 * @param {Plot} plot
 * @param {Awaited<ReturnType<typeof measure>>} found
 * @param {0 | 1} which of the two measures
 * @param {string} name
 * @param {number} d the size of the matrices on the page
 */
function drawMeasure(plot, { plain, scaled }, which, name, d) {
  const own = texts.lessons.scale;
  const points = (/** @type {number[][]} */ of) =>
    of.map((pair, i) => /** @type {[number, number]} */ ([kSizes[i], pair[which]]));
  const named = 4; // at this size the two lines are far enough from each other for their names
  const at = kSizes.indexOf(d);
  const sentence = own.sentence(name, d, plain[at]?.[which].toFixed(2), scaled[at]?.[which].toFixed(2));
  plot.show(sentence, () => [
    plot.line(points(plain), 'without'),
    plot.line(points(scaled), 'with'),
    plot.text(kSizes[named], plain[named][which], own.plain, 'without', { dx: 8, dy: -8 }),
    plot.text(kSizes[named], scaled[named][which], own.scaled, 'with', { dx: 8, dy: -8 }),
    ...(at < 0 ? [] : [plot.dot(d, plain[at][which], 'without'), plot.dot(d, scaled[at][which], 'with')]),
  ]);
}

/** The entropy of the weights and the norm of their Jacobian, for each size. @returns {Promise<{plain: number[][], scaled: number[][]}>} */
async function measure() {
  const of = async (/** @type {number} */ d, /** @type {'dot' | 'scaled-dot'} */ score) => {
    const next = normal(40 + d);
    const random = (/** @type {number} */ rows) => ({
      data: Float32Array.from({ length: rows * d }, next),
      shape: [rows, d],
    });
    const { weights } = await attention({ query: random(kQueries), key: random(kKeys), score, record: ['weights'] });
    const rows = Array.from({ length: kQueries }, (_, i) => weights.data.subarray(i * kKeys, (i + 1) * kKeys));
    const mean = (/** @type {(row: Float32Array) => number} */ f) =>
      rows.reduce((sum, row) => sum + f(row), 0) / kQueries;
    return [mean(entropy), mean(jacobianNorm)];
  };
  const all = (/** @type {'dot' | 'scaled-dot'} */ score) => Promise.all(kSizes.map((d) => of(d, score)));
  return { plain: await all('dot'), scaled: await all('scaled-dot') };
}

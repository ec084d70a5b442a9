// Several scores of one query with the same keys: how each depends on the length and the direction of a key.

import { attention } from '../../../lib/attention/index.js';
import { equation } from '../../../view/math.js';
import { make } from '../../shared/dom.js';
import { scoreEquations } from '../equations.js';
import { papers } from '../papers.js';
import { keysOf, namesOf, resized } from '../state.js';
import { withSymbols } from '../symbols.js';
import { texts } from '../texts.js';

const kHidden = 2;

/** Parameters that a trained model might have, for queries and keys of size 2. */
const kLearnt = {
  W: [
    [0.2, 1],
    [-0.4, 0.8],
  ],
  W_q: [
    [1, -0.5],
    [0.3, 0.8],
  ],
  W_k: [
    [-0.6, 1],
    [0.9, 0.4],
  ],
  joined: [
    [1, -0.5, -0.6, 1],
    [0.3, 0.8, 0.9, 0.4],
  ],
  w_v: [[1.5, -0.5]],
  places: [
    [0.1, 0],
    [0.2, 0.3],
    [0.5, 1],
    [0, -0.4],
  ],
};

/**
 * The scores with their parameters, in the sizes of a query and the keys.
 * @param {number} d of the query and of the keys
 * @param {number} keys
 * @returns {{score: string, parameters?: Record<string, number[][]>}[]}
 */
const scoresFor = (d, keys) => [
  { score: 'dot' },
  { score: 'scaled-dot' },
  { score: 'cosine', parameters: { temperature: [[0.3]] } },
  { score: 'gaussian', parameters: { w: [[1]] } },
  { score: 'general', parameters: { W: resized(kLearnt.W, d, d, 1) } },
  {
    score: 'additive',
    parameters: {
      W_q: resized(kLearnt.W_q, kHidden, d, 2),
      W_k: resized(kLearnt.W_k, kHidden, d, 3),
      w_v: kLearnt.w_v,
    },
  },
  { score: 'concat', parameters: { W: resized(kLearnt.joined, kHidden, 2 * d, 4), v: kLearnt.w_v } },
  { score: 'location', parameters: { W: resized(kLearnt.places, keys, d, 5) } },
];

/** @type {import('../presets.js').Preset} */
export const compare = {
  id: 'compare',
  equations: ['\\s{s_j} = \\text{score}(\\q{q}, \\k{k_j})', '\\w{a} = \\text{softmax}(\\s{s})'],
  papers: [papers.bahdanau, papers.luong, papers.vaswani, papers.graves],
  state: () => ({
    query: [[1, 1]],
    key: [
      [1.5, 0.5],
      [3, 1],
      [0.9, 1.2],
      [-1, 1],
    ],
    keyNames: ['k₁', 'k₂ = 2 k₁', ...texts.lessons.compare.keys],
    value: [[1], [2], [3], [4]],
    score: 'dot',
  }),
  scene: () => {
    // A table with a row for each score.
    const own = texts.lessons.compare;
    const table = make('table.compared');
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.wide', { tabIndex: 0, role: 'group', 'aria-label': own.table }, table),
      ),
      async show(state) {
        const [query, key] = [state.query.slice(0, 1), keysOf(state)];
        if (query[0].length !== key[0].length) return;
        // The score that is chosen on the page has the parameters of the page.
        const rows = scoresFor(query[0].length, key.length).map(({ score, parameters }) => ({
          score,
          parameters: score === state.score ? state.parameters : parameters,
        }));
        const all = await Promise.all(
          rows.map((row) => attention(/** @type {any} */ ({ query, key, ...row, record: ['weights'] }))),
        );
        const heads = [own.score, ...namesOf(state).keys, own.equation].map((name) =>
          make('th', { scope: 'col' }, name),
        );
        const body = rows.map(({ score }, i) => rowOf(score, all[i].weights.data, score === state.score));
        table.replaceChildren(make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...body));
      },
    };
  },
};

/** @param {string} score @param {Float32Array} weights @param {boolean} isChosen */
function rowOf(score, weights, isChosen) {
  const { scores } = texts.lessons.compare;
  const { name, says } = scores[/** @type {keyof typeof scores} */ (score)];
  const cells = Array.from(weights, (weight) => {
    const bar = make('span.bar');
    bar.style.width = `${(3 * weight).toFixed(2)}rem`;
    return make('td', {}, bar, weight.toFixed(2));
  });
  const head = make('th', { scope: 'row' }, name, ' ', make('small', {}, ...withSymbols(says)));
  const row = make('tr', {}, head, ...cells, make('td', {}, equation(scoreEquations[score])));
  row.dataset.score = score;
  row.classList.toggle('chosen', isChosen);
  return row;
}

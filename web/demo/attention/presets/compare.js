// Several scores on one query and the same keys: what each makes of the length and of the direction of a key.

import { attention } from '../../../lib/attention/index.js';
import { make } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { keysOf } from '../state.js';
import { texts } from '../texts.js';

/** Scores that need no parameters, or one number. */
const kScores = [
  { score: 'dot' },
  { score: 'scaled-dot' },
  { score: 'cosine', parameters: { temperature: [[0.3]] } },
  { score: 'gaussian', parameters: { w: [[1]] } },
];

/** @type {import('../presets.js').Preset} */
export const compare = {
  id: 'compare',
  equations: [
    '\\s{s} = \\q{q}^⊤ \\k{k}',
    '\\s{s} = \\frac{\\q{q}^⊤ \\k{k}}{\\sqrt{d}}',
    '\\s{s} = \\frac{\\q{q}^⊤ \\k{k}}{|\\q{q}| |\\k{k}| τ}',
    '\\s{s} = −\\frac{w^2 |\\q{q} − \\k{k}|^2}{2}',
  ],
  papers: [papers.luong, papers.vaswani, papers.graves],
  state: () => ({
    query: [[1, 1]],
    key: [
      [1.5, 0.5],
      [3, 1],
      [0.9, 1.2],
      [-1, 1],
    ],
    keyNames: ['k₁', 'k₂ = 2 k₁', 'k₃, near', 'k₄, across'],
    value: [[1], [2], [3], [4]],
    score: 'dot',
  }),
  scene: () => {
    const own = texts.lessons.compare;
    const rows = kScores.map(({ score }) => {
      const { name, says } = own.scores[/** @type {keyof typeof own.scores} */ (score)];
      return { head: make('th', { scope: 'row' }, name, make('small', {}, says)) };
    });
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
        const all = await Promise.all(
          kScores.map(({ score, parameters }) =>
            attention(/** @type {any} */ ({ query, key, score, parameters, record: ['weights'] })),
          ),
        );
        const names = key.map((_, j) => state.keyNames[j] ?? `k${j + 1}`);
        const cell = (/** @type {number} */ weight) => {
          const bar = make('span.bar');
          bar.style.width = `${(3 * weight).toFixed(2)}rem`;
          return make('td', {}, bar, weight.toFixed(2));
        };
        table.replaceChildren(
          make(
            'thead',
            {},
            make(
              'tr',
              {},
              make('th', { scope: 'col' }, own.score),
              ...names.map((name) => make('th', { scope: 'col' }, name)),
            ),
          ),
          make(
            'tbody',
            {},
            ...all.map(({ weights }, i) => make('tr', {}, rows[i].head, ...Array.from(weights.data, cell))),
          ),
        );
      },
    };
  },
};

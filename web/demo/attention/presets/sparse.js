// Softmax gives each key a weight above 0. Sparsemax and entmax give exact zeros.

import { bars } from '../../shared/bars.js';
import { weightsOfQuery } from '../compute.js';
import { make } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { namesOf } from '../state.js';
import { texts } from '../texts.js';

const kWords = ['the', 'cat', 'that', 'we', 'saw', 'slept'];

/** The selections side by side. @type {{title: string, choice: {selection: string, alpha?: number}}[]} */
const kKinds = [
  { title: 'softmax (α = 1)', choice: { selection: 'soft' } },
  { title: 'entmax (α = 1.5)', choice: { selection: 'entmax', alpha: 1.5 } },
  { title: 'sparsemax (α = 2)', choice: { selection: 'sparsemax' } },
];

/** @type {import('../presets.js').Preset} */
export const sparse = {
  id: 'sparse',
  equations: ['\\w{a_j} = [(α − 1) \\s{l_j} − τ]_+^{1 / (α − 1)}', '∑_j \\w{a_j} = 1'],
  papers: [papers.martins, papers.peters],
  state: () => ({
    query: [[1.2, 0.5]],
    queryNames: [texts.lessons.sparse.asked],
    key: [
      [-0.6, 0.2],
      [2, 0.4],
      [0.1, 0.3],
      [0.3, -0.5],
      [0.8, 0.2],
      [1.4, 0.6],
    ],
    keyNames: kWords,
    value: [
      [0, 0.2],
      [1, 0.6],
      [0.1, 0],
      [0.4, 0.8],
      [0.3, 0.1],
      [0.9, 0.2],
    ],
    score: 'dot',
    selection: 'entmax',
    pinned: { matrix: 'weights', row: 0, column: 0 },
  }),
  scene: () => {
    // The same logits by three selections side by side, and how many weights are exactly 0.
    const own = texts.lessons.sparse;
    const parts = kKinds.map(({ title }) => ({
      shown: bars(own.weights(title)),
      heading: make('h3', {}, title),
    }));
    const zeros = make('p.caption', { role: 'status' });
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.two', {}, ...parts.map(({ shown, heading }) => make('div', {}, heading, shown.node))),
        zeros,
      ),
      async show(state, result) {
        if (!result || state.heads > 1) return;
        const { keys } = namesOf(state);
        const rows = await Promise.all(kKinds.map(({ choice }) => weightsOfQuery({ ...state, ...choice }, 0)));
        rows.forEach((row, n) => {
          parts[n].shown.show(
            keys.map((name, j) => ({ name, value: row[j], note: row[j] === 0 ? '0' : row[j].toFixed(3) })),
          );
        });
        const count = (/** @type {number[]} */ row) => row.filter((weight) => weight === 0).length;
        zeros.textContent = own.zeros(keys.length, rows.map(count));
      },
    };
  },
};

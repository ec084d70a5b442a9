// What BERT and GPT may see: they differ only in the mask.

import { bars } from '../../shared/bars.js';
import { weightsOfQuery } from '../compute.js';
import { make, segmented, slider } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { randomMatrix } from '../random.js';
import { namesOf, within } from '../state.js';
import { texts } from '../texts.js';

/** @type {import('../presets.js').Preset} */
export const readers = {
  id: 'readers',
  equations: ['\\text{GPT}: \\s{l_{ij}} = −∞ \\text{ where } j > i', '\\text{BERT}: \\text{nothing is hidden}'],
  papers: [papers.devlin, papers.radford],
  state: () => ({
    query: randomMatrix(97, 5, 3, 1.2),
    queryNames: ['the', 'cat', 'sat', 'down', '.'],
    memory: 'self',
    causal: true,
    scene: { word: 2 },
  }),
  scene: (workbench) => {
    // The choice of the model and of a word; the weights of the word in both models.
    const own = texts.lessons.readers;
    const kind = segmented(
      own.below,
      [
        ['gpt', 'GPT'],
        ['bert', 'BERT'],
      ],
      (value) => workbench.change({ causal: value === 'gpt' }),
    );
    const word = slider(own.word, { min: 1, max: 5, step: 1 }, (at) => workbench.change({ scene: { word: at } }));
    const models = /** @type {const} */ (['GPT', 'BERT']).map((name) => ({ name, list: bars(own.reads(name)) }));
    const titles = models.map(() => make('h3'));
    const said = make('p.verdict', { role: 'status' });
    return {
      node: make(
        'div.picture.stacked',
        {},
        make(
          'div.row',
          {},
          word.node,
          make('div.field', {}, make('span', { 'aria-hidden': 'true' }, own.below), kind.node),
        ),
        make('div.two', {}, ...models.map(({ list }, m) => make('div', {}, titles[m], list.node))),
        said,
      ),
      async show(state, result) {
        kind.set(state.causal ? 'gpt' : 'bert');
        const i = within(state.scene.word, 1, state.query.length) - 1;
        word.set(i + 1);
        if (!result || state.heads > 1 || state.memory !== 'self') return;
        const { queries, keys } = namesOf(state);
        const rows = await Promise.all([true, false].map((causal) => weightsOfQuery({ ...state, causal }, i)));
        models.forEach(({ name, list }, m) => {
          titles[m].textContent = own.vector(name, queries[i]);
          const isHidden = (/** @type {number} */ j) => m === 0 && j > i;
          list.show(keys.map((key, j) => ({ name: key, value: rows[m][j], ...(isHidden(j) && { note: '–' }) })));
        });
        const later = rows[1].slice(i + 1).reduce((sum, weight) => sum + weight, 0);
        said.textContent = own.later(queries[i], Math.round(100 * later));
      },
    };
  },
};

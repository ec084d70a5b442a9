// Masks: the weight that goes to later words and to padding without them.

import { attention } from '../../../lib/attention/index.js';
import { bars } from '../../shared/bars.js';
import { callOf } from '../compute.js';
import { checkbox, make } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { randomMatrix } from '../random.js';
import { keysOf, namesOf } from '../state.js';
import { texts } from '../texts.js';

/** @type {import('../presets.js').Preset} */
export const masks = {
  id: 'masks',
  equations: ['\\s{l_{ij}} = −∞ \\text{ where } j > i \\text{ or } j \\text{ is padding}', '\\text{exp}(−∞) = 0'],
  papers: [papers.vaswani],
  state: () => ({
    query: [...randomMatrix(51, 4, 3), [0, 0, 0], [0, 0, 0]],
    queryNames: ['I', 'see', 'a', 'cat', '‹pad›', '‹pad›'],
    memory: 'self',
  }),
  scene: (workbench) => {
    // The two masks, and the weight that goes to later words and to padding.
    const own = texts.lessons.masks;
    const causal = checkbox(own.causal, (on) => workbench.change({ causal: on }));
    const padding = checkbox(own.padding, (on) => workbench.change({ padding: on ? 2 : 0 }));
    const [later, filling] = [bars(own.later), bars(own.filling)];
    const part = (/** @type {string} */ title, /** @type {HTMLElement} */ node) =>
      make('div', {}, make('h3', {}, title), node);
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.row', {}, causal.node, padding.node),
        make('div.two', {}, part(own.laterShare, later.node), part(own.fillingShare, filling.node)),
      ),
      async show(state, result) {
        causal.set(state.causal);
        padding.set(state.padding > 0);
        if (!result || state.heads > 1) return;
        const keys = keysOf(state).length;
        const pad = Math.min(2, keys - 1);
        const [ahead, filled] = await Promise.all([
          sharesOf(state, (j, c) => j > c && j < keys - pad),
          sharesOf(state, (j) => j >= keys - pad),
        ]);
        const names = namesOf(state).queries.slice(0, state.query.length - pad);
        later.show(names.map((name, i) => ({ name, value: ahead[i * keys + i] ?? 0, role: 'leak' })));
        filling.show(names.map((name, i) => ({ name, value: filled[i * keys] ?? 0, role: 'leak' })));
      },
    };
  },
};

/**
 * Sums of weights, by values of 0 and 1: column c of the output is the weight of each query on the keys that count for c.
 * @param {import('../state.js').State} state @param {(key: number, column: number) => boolean} counts
 */
async function sharesOf(state, counts) {
  const key = keysOf(state);
  const value = key.map((_, j) => key.map((_, c) => Number(counts(j, c))));
  const { options } = callOf({ ...state, memory: 'key-value', key, value, convention: 'rows' });
  const { output } = await attention(/** @type {any} */ ({ ...options, record: [] }));
  return output.data;
}

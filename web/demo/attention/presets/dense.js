// The fixed weights of a dense layer beside attention weights, which are computed from the input.

import { attention } from '../../../lib/attention/index.js';
import { make, segmented, slider } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { randomMatrix } from '../random.js';
import { identity, namesOf } from '../state.js';
import { texts } from '../texts.js';

const kTrained = 5;
const kMost = 8;
const kWords = {
  a: ['we', 'saw', 'her', 'duck', 'in', 'the', 'old', 'pond'],
  b: ['her', 'duck', 'saw', 'us', 'and', 'swam', 'away', 'fast'],
};
const kLayer = randomMatrix(71, kTrained, kTrained);

/** @param {string} which @param {number} length */
const sentence = (which, length) => ({
  query: randomMatrix(which === 'b' ? 73 : 72, kMost, 3).slice(0, length),
  queryNames: kWords[which === 'b' ? 'b' : 'a'].slice(0, length),
});

/** @type {import('../presets.js').Preset} */
export const dense = {
  id: 'dense',
  equations: ['\\text{dense}: \\c{C} = W \\v{V}', '\\text{attention}: \\c{C} = \\w{A}(\\v{X}) \\v{X}'],
  papers: [papers.bahdanau],
  state: () => ({ ...sentence('a', kTrained), memory: 'self', scene: { input: 'a', length: kTrained } }),
  scene: (workbench) => {
    // The choice of the sentence and its length; the weights of both layers.
    const own = texts.lessons.dense;
    const choice = segmented(
      own.sentence,
      [
        ['a', own.first],
        ['b', own.another],
      ],
      (input) => set({ input }),
    );
    const length = slider(own.length, { min: 2, max: kMost, step: 1 }, (value) => set({ length: value }));
    const [fixed, made] = [own.fixed, own.made].map(grid);
    const verdict = make('p.verdict', { role: 'status' });
    /** @param {Record<string, number | string>} patch */
    function set(patch) {
      const scene = { ...workbench.state().scene, ...patch };
      workbench.change({ ...sentence(String(scene.input), Number(scene.length)), scene, pinned: null });
    }
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.row', {}, choice.node, length.node),
        make('div.row.tops', {}, fixed.node, made.node),
        verdict,
      ),
      async show(state, result) {
        choice.set(String(state.scene.input));
        length.set(Number(state.scene.length));
        if (!result || state.heads > 1) return;
        const names = namesOf(state);
        const count = state.query.length;
        const { weights, problem } = await denseWeights(count);
        fixed.show(names.queries, names.queries, weights, problem);
        made.show(names.queries, names.keys, Array.from(result.weights.data), '');
        verdict.textContent = problem ? own.refused(kTrained, problem) : own.same;
      },
    };
  },
};

/** Weights that depend only on the position: the location score of a query that has only its position. @param {number} count */
async function denseWeights(count) {
  const W = kLayer.map((row) => row.slice(0, count));
  const query = identity(count);
  const key = query.map(() => [0]);
  try {
    if (count > kTrained) await attention({ query, key, score: 'location', parameters: { W: kLayer } });
    const { weights } = await attention({ query, key, score: 'location', parameters: { W }, record: ['weights'] });
    return { weights: Array.from(weights.data), problem: '' };
  } catch (error) {
    return { weights: null, problem: /** @type {Error} */ (error).message };
  }
}

/** @param {string} title */
function grid(title) {
  const drawing = /** @type {import('../../../view/grid.js').GridElement} */ (document.createElement('qkv-grid'));
  const none = make('p.caption.none', {}, texts.lessons.dense.none);
  const node = make('figure.matrix-figure', {}, make('figcaption', {}, make('span.title', {}, title)), drawing, none);
  node.dataset.role = 'weights';
  return {
    node,
    /** @param {string[]} rows @param {string[]} columns @param {number[] | null} data @param {string} problem */
    show(rows, columns, data, problem) {
      drawing.hidden = !data;
      none.hidden = !problem;
      if (data)
        drawing.grid = {
          name: title,
          axes: ['query', 'key'],
          rows,
          columns,
          data,
          kind: 'weight',
          summary: `${title}.`,
        };
    },
  };
}

// Soft and hard selection: all keys with weights, or one key. The mean of many samples is close to the soft weights, and
// REINFORCE learns from samples.

import { attention } from '../../../lib/attention/index.js';
import { bars } from '../../shared/bars.js';
import { callOf } from '../compute.js';
import { button, make, segmented, slider } from '../../shared/dom.js';
import { reinforce } from '../measures.js';
import { papers } from '../papers.js';
import { namesOf, valuesOf, within } from '../state.js';
import { texts } from '../texts.js';

const kMost = 11; // 2^11 draws

/** @type {import('../presets.js').Preset} */
export const hard = {
  id: 'hard',
  equations: [
    '\\text{E}[\\c{c_{\\text{hard}}}] = ∑_j \\w{a_j} \\v{v_j} = \\c{c_{\\text{soft}}}',
    '\\frac{∂ \\text{E}[r]}{∂ \\s{s}} = \\text{E}[(r − b) \\frac{∂ \\text{log } \\w{a}}{∂ \\s{s}}]',
  ],
  papers: [papers.xu, papers.williams],
  state: () => ({
    query: [[1, 0.5]],
    key: [
      [2, 0],
      [0, 1.5],
      [1, 1],
      [-1, 0.5],
      [0.5, -1],
    ],
    value: [
      [4, 0],
      [3, 1],
      [3.5, 0.5],
      [2, 0],
      [3, -1],
    ],
    selection: 'sampled',
    scene: { draws: 4 },
  }),
  scene: (workbench) => {
    // The bars of both selections, the choice of the selection, and the number of draws.
    const own = texts.lessons.hard;
    const [drawn, soft] = [bars(own.shares), bars(own.weights)];
    const kind = segmented(
      own.selection,
      [
        ['soft', 'soft'],
        ['sampled', 'sampled'],
        ['argmax', 'argmax'],
      ],
      (selection) => workbench.change({ selection }),
    );
    const draws = slider(own.draws, { min: 0, max: kMost, step: 1, say: (n) => String(2 ** n) }, (n) =>
      workbench.change({ scene: { draws: n } }),
    );
    const again = button(own.again, () => workbench.change({ seed: workbench.state().seed + 1 }));
    const title = make('h3');
    const gradient = gradientTable();
    return {
      node: make(
        'div.picture',
        {},
        make('div', {}, title, drawn.node, make('h3', {}, own.from), soft.node, gradient.node),
        make(
          'div.settings',
          {},
          make('div.field', {}, make('span', { 'aria-hidden': 'true' }, own.below), kind.node),
          draws.node,
          again,
        ),
      ),
      async show(state, result) {
        kind.set(state.selection);
        const power = within(state.scene.draws, 0, kMost);
        draws.set(power);
        if (!result) return;
        const count = 2 ** power;
        title.textContent = own.mean(count);
        const names = namesOf(state).keys;
        const [mean, weights] = await Promise.all([meanOf(state, count), weightsOf({ ...state, selection: 'soft' })]);
        const list = (/** @type {Float32Array} */ data, /** @type {string} */ role) =>
          names.map((name, j) => ({ name, value: data[j], role }));
        drawn.show(list(mean, 'context'));
        soft.show(list(weights, 'weights'));
        gradient.show(names, mean, weights, rewardsOf(state));
      },
    };
  },
};

/** The reward of each key: the first number of its value. @param {import('../state.js').State} state */
const rewardsOf = (state) => valuesOf(state).map(([first]) => first);

/** A table of the gradient of the mean reward: exact, and estimated from the draws without and with a baseline. */
function gradientTable() {
  const own = texts.lessons.hard;
  const grid = /** @type {import('../../../view/grid.js').GridElement} */ (document.createElement('qkv-grid'));
  const off = make('p.caption.off', { role: 'status' });
  /** @param {string[]} names @param {ArrayLike<number>} mean @param {ArrayLike<number>} weights @param {number[]} rewards */
  function show(names, mean, weights, rewards) {
    const reward = rewards.reduce((sum, r, j) => sum + r * weights[j], 0);
    const exact = reinforce(weights, weights, rewards, 0);
    const draws = [0, reward].map((baseline) => reinforce(mean, weights, rewards, baseline));
    const baselines = ['b = 0', `b = ${reward.toFixed(2).replace('-', '−')}`];
    const apart = draws.map((row) => Math.hypot(...row.map((x, j) => x - exact[j])).toFixed(2));
    off.textContent = own.error(baselines.map((b, i) => `${apart[i]} (${b})`).join(', '));
    grid.grid = {
      name: own.gradient,
      axes: ['estimate', 'key'],
      rows: [own.exact, ...baselines],
      columns: names,
      data: [exact, ...draws].flat(),
      kind: 'signed',
      summary: off.textContent,
    };
  }
  return { node: make('div.gradient', {}, make('h3', {}, own.gradient), grid, off), show };
}

/** The weights of queries in the first head, without masks and windows. @param {import('../state.js').State} state @param {number[][]} [query] */
async function weightsOf(state, query = [state.query[0]]) {
  const plain = {
    ...state,
    query,
    allowed: null,
    bias: null,
    window: 'global',
    causal: false,
    heads: 1,
    joined: false,
    convention: /** @type {const} */ ('rows'),
  };
  const { weights } = await attention(/** @type {any} */ ({ ...callOf(plain).options, record: ['weights'] }));
  return weights.data;
}

/**
 * The mean of the hard weights over many draws for one query: attention with equal keys takes the mean of its values.
 * @param {import('../state.js').State} state
 * @param {number} count
 */
async function meanOf(state, count) {
  const drawn = await weightsOf({ ...state, selection: 'sampled' }, Array(count).fill(state.query[0]));
  const keys = drawn.length / count;
  const equalKeys = { data: new Float32Array(count), shape: [count, 1] };
  const { output } = await attention({
    query: [[0]],
    key: equalKeys,
    value: { data: drawn, shape: [count, keys] },
    record: [],
  });
  return output.data;
}

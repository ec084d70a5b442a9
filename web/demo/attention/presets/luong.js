// Luong's attention beside Bahdanau's: which state is the query, how the context is used, and input feeding.

import { attention } from '../../../lib/attention/index.js';
import { bars } from '../../shared/bars.js';
import { checkbox, make, segmented, slider } from '../../shared/dom.js';
import { foldedMeasured } from '../measured.js';
import { papers } from '../papers.js';
import { identity, namesOf, within } from '../state.js';
import { texts } from '../texts.js';

const kWords = ['I', 'love', 'you', '.'];
const kKeys = [
  [2, 0, 0],
  [0, 2, 0],
  [0, 0, 2],
  [-1, -1, -1],
];
/** The decoder's states without input feeding. */
const kStates = [
  [2, 0, 0.2],
  [0.2, 0.6, 1.6],
  [0, 1.2, 1.4],
  [-1.2, -1, -0.9],
];
/** The effect of input feeding: the state moves away from the words that were read. */
const kFed = -0.5;
const kParameters = { W: identity(3) };

/** The order of the steps. Each symbol has the colour of its kind. @type {Record<string, [string, string][]>} */
const kPaths = {
  bahdanau: [
    ['h(t−1)', 'query'],
    ['a(t)', 'weights'],
    ['c(t)', 'context'],
    ['h(t)', 'query'],
  ],
  luong: [
    ['h(t−1)', ''],
    ['h(t)', 'query'],
    ['a(t)', 'weights'],
    ['c(t)', 'context'],
    ['h̃(t)', 'context'],
  ],
};

/** The states with input feeding: the context of the previous step moves each state. */
async function fedStates() {
  /** @type {number[][]} */
  const states = [];
  let before = [0, 0, 0];
  for (const own of kStates) {
    const state = own.map((x, c) => Math.round(100 * (x + kFed * before[c])) / 100 + 0);
    states.push(state);
    const { output } = await attention({ query: [state], memory: kKeys, score: 'general', parameters: kParameters });
    before = Array.from(output.data);
  }
  return states;
}

/** The score, then what is computed from the context. @param {Record<string, number | string>} scene */
function equationsOf({ path, feed }) {
  if (path === 'bahdanau')
    return ['\\s{s_{tj}} = \\q{h_{t−1}}^⊤ W \\k{h_j}', '\\q{h_t} = \\text{RNN}(\\q{h_{t−1}}, [y_{t−1}; \\c{c_t}])'];
  const input = feed ? '[y_t; \\c{h̃_t}]' : 'y_t';
  return [
    '\\s{s_{tj}} = \\q{h_t}^⊤ W \\k{h_j}',
    '\\c{h̃_t} = \\text{tanh}(W_c [\\c{c_t}; \\q{h_t}])',
    `\\q{h_{t+1}} = \\text{RNN}(\\q{h_t}, ${input})`,
  ];
}

/** @type {import('../presets.js').Preset} */
export const luong = {
  id: 'luong',
  equations: equationsOf({ path: 'luong', feed: 0 }),
  equationsOf: ({ scene }) => equationsOf(scene),
  papers: [papers.luong, papers.bahdanau],
  state: () => ({
    query: kStates,
    queryNames: kStates.map((_, i) => `h(${i + 1})`),
    key: kKeys,
    keyNames: kWords,
    memory: 'one',
    score: 'general',
    parameters: kParameters,
    scene: { path: 'luong', t: 3, feed: 0 },
  }),
  scene: (workbench) => {
    // The choice of the order, of input feeding and of the step; the order as a row of symbols, and the weights.
    const own = texts.lessons.luong;
    const path = segmented(
      own.path,
      [
        ['bahdanau', 'Bahdanau'],
        ['luong', 'Luong'],
      ],
      (value) => workbench.change({ scene: { ...workbench.state().scene, path: value } }),
    );
    const feeding = checkbox(own.feeding, async (on) => {
      const query = on ? await fedStates() : kStates;
      workbench.change({ query, scene: { ...workbench.state().scene, feed: Number(on) } });
    });
    const step = slider(own.step, { min: 2, max: kStates.length, step: 1 }, (t) =>
      workbench.change({ scene: { ...workbench.state().scene, t } }),
    );
    const flow = make('ol.flow', { 'aria-label': own.order });
    const heading = make('h3');
    const weights = bars(own.weights);
    const said = make('p.verdict', { role: 'status' });
    return {
      node: make(
        'div.picture',
        {},
        make('div', {}, flow, heading, weights.node, said, foldedMeasured(own, { part: 'tasks', height: 370 })),
        make('div.settings', {}, path.node, step.node, feeding.node),
      ),
      show(state, result) {
        const isBahdanau = state.scene.path === 'bahdanau';
        const t = within(state.scene.t, 2, state.query.length);
        path.set(isBahdanau ? 'bahdanau' : 'luong');
        step.set(t);
        feeding.set(Boolean(state.scene.feed));
        const chips = kPaths[isBahdanau ? 'bahdanau' : 'luong'];
        flow.replaceChildren(...chips.map(([symbol, role]) => make(`li.of-${role || 'none'}`, {}, symbol)));
        heading.textContent = own.asks(t, isBahdanau ? t - 1 : t);
        if (!result || state.heads > 1) return;
        const { keys } = namesOf(state);
        // The query of Bahdanau's decoder is its previous state.
        const row = t - 1 - Number(isBahdanau);
        const shares = keys.map((_, j) => result.weights.data[row * keys.length + j]);
        weights.show(keys.map((name, j) => ({ name, value: shares[j] })));
        said.textContent = own.reads(t, keys[shares.indexOf(Math.max(...shares))]);
      },
    };
  },
};

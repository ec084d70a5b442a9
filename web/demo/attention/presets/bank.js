// A memory bank: a look-up with an exact or a noisy key.

import { formatNumber } from '../../../view/numbers.js';
import { bars } from '../../shared/bars.js';
import { make, segmented, slider } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { normal } from '../random.js';
import { namesOf } from '../state.js';
import { texts } from '../texts.js';

const kPeople = ['Ada', 'Alan', 'Emmy', 'Grace', 'Sofya'];
const kKeys = [
  [1, 1, 1, -1, -1, 1],
  [-1, 1, -1, 1, -1, 1],
  [1, -1, -1, -1, 1, 1],
  [-1, -1, 1, 1, 1, 1],
  [1, 1, -1, 1, 1, -1],
];
const kRooms = [[12], [27], [35], [48], [51]];

/** A person's key with noise. @param {number} who @param {number} noise */
function asked(who, noise) {
  const next = normal(80 + who);
  return [kKeys[who].map((x) => Math.round(10 * (x + noise * next())) / 10 + 0)];
}

/** @type {import('../presets.js').Preset} */
export const bank = {
  id: 'bank',
  equations: [
    '\\w{a_j} = \\text{softmax}_j \\frac{\\q{q}^⊤ \\k{k_j}}{|\\q{q}| |\\k{k_j}| τ}',
    '\\c{c} = ∑_j \\w{a_j} \\v{v_j}',
  ],
  papers: [papers.graves, papers.miller],
  state: () => ({
    query: asked(1, 0.5),
    queryNames: [texts.lessons.bank.asked],
    key: kKeys,
    keyNames: kPeople,
    value: kRooms,
    score: 'cosine',
    parameters: { temperature: [[0.1]] },
    scene: { who: 1, noise: 0.5 },
  }),
  scene: (workbench) => {
    // The choice of a person, the noise and the temperature; the weights and the answer.
    const own = texts.lessons.bank;
    const who = segmented(
      own.whose,
      kPeople.map((name, i) => [String(i), name]),
      (value) => ask({ who: Number(value) }),
    );
    const noise = slider(own.noise, { min: 0, max: 2, step: 0.1, say: (x) => x.toFixed(1) }, (value) =>
      ask({ noise: value }),
    );
    const warmth = slider(own.warmth, { min: 0.02, max: 2, step: 0.02, say: (x) => x.toFixed(2) }, (value) =>
      workbench.change({ parameters: { ...workbench.state().parameters, temperature: [[value]] } }),
    );
    const list = bars(own.weights);
    const answer = make('p.verdict', { role: 'status' });
    /** @param {Record<string, number>} patch */
    function ask(patch) {
      const scene = { ...workbench.state().scene, ...patch };
      workbench.change({ query: asked(Number(scene.who), Number(scene.noise)), scene });
    }
    return {
      node: make(
        'div.picture',
        {},
        make('div', {}, list.node, answer),
        make(
          'div.settings',
          {},
          make('div.field', {}, make('span', { 'aria-hidden': 'true' }, own.ask), who.node),
          noise.node,
          warmth.node,
        ),
      ),
      show(state, result) {
        who.set(String(state.scene.who));
        noise.set(Number(state.scene.noise));
        warmth.set(state.parameters.temperature?.[0][0] ?? 1);
        if (!result) return;
        const names = namesOf(state).keys;
        list.show(
          names.map((name, j) => ({ name: `${name} → ${state.value[j]?.[0]}`, value: result.weights.data[j] })),
        );
        answer.textContent = own.answer(formatNumber(result.output.data[0]));
      },
    };
  },
};

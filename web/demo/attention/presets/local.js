// Local attention: a window that moves along a sentence.

import { attention } from '../../../lib/attention/index.js';
import { formatNumber } from '../../../view/numbers.js';
import { make, segmented, slider, svgMake } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { Plot } from '../plot.js';
import { randomMatrix } from '../random.js';
import { namesOf, within } from '../state.js';
import { texts } from '../texts.js';

const kWords = ['the', 'old', 'cat', 'sat', 'on', 'a', 'warm', 'mat'];
const kFine = 8; // positions from one word to the next

/** @type {import('../presets.js').Preset} */
export const local = {
  id: 'local',
  equations: [
    'p_t = t \\text{ or } n · \\text{sigmoid}(v_p^⊤ \\text{tanh}(W_p \\q{q_t}))',
    '\\w{a_j} = \\text{softmax}(\\s{s})_j · \\text{exp}(−\\frac{(j − p)^2}{2 (D / 2)^2})',
  ],
  papers: [papers.luong],
  state: () => ({
    query: randomMatrix(31, 8, 3, 0.6),
    key: randomMatrix(32, 8, 3, 0.6),
    value: randomMatrix(33, 8, 2),
    keyNames: kWords,
    queryNames: kWords.map((_, i) => `t = ${i}`),
    window: 'local-p',
    halfWidth: 2,
    centres: [[0.4, 1.5, 2, 3.4, 4.2, 4.8, 5.6, 6.5]],
    scene: { t: 3 },
  }),
  scene: (workbench) => {
    // The plot of the Gaussian around the centre, and what the reader changes.
    const own = texts.lessons.local;
    const plot = new Plot({
      x: { name: '', from: -0.5, to: 7.5, ticks: [] },
      y: { name: own.weight, from: 0, to: 1.05, ticks: [0, 0.5, 1] },
      height: 250,
    });
    const kind = segmented(
      texts.controls.window,
      [
        ['global', 'global'],
        ['local-m', 'local-m'],
        ['local-p', 'local-p'],
      ],
      (window) => workbench.change({ window }),
    );
    const query = slider(own.query, { min: 0, max: 7, step: 1 }, (t) => workbench.change({ scene: { t } }));
    const half = slider(own.half, { min: 0.5, max: 5, step: 0.5 }, (halfWidth) => workbench.change({ halfWidth }));
    const place = slider(own.place, { min: 0, max: 7, step: 0.1, say: (p) => p.toFixed(1) }, (p) => {
      const { centres, scene } = workbench.state();
      if (centres) workbench.change({ centres: [centres[0].map((at, i) => (i === Number(scene.t) ? p : at))] });
    });
    return {
      node: make(
        'div.picture',
        {},
        plot.node,
        make(
          'div.settings',
          {},
          make('div.field', {}, make('span', { 'aria-hidden': 'true' }, own.window), kind.node),
          query.node,
          place.node,
          half.node,
        ),
      ),
      async show(state, result) {
        if (!result) return;
        const t = within(state.scene.t, 0, state.query.length - 1);
        const keys = state.key.length;
        kind.set(state.window);
        query.set(t);
        half.set(state.halfWidth);
        place.node.hidden = state.window !== 'local-p' || !state.centres;
        const p = result.centres?.data[t] ?? 0;
        place.set(p);
        plot.x.to = keys - 0.5;
        const gaussian = state.window === 'global' ? [] : await gaussianOf(state, p, keys);
        const names = namesOf(state).keys;
        const weights = Array.from({ length: keys }, (_, j) => result.weights.data[t * keys + j]);
        const top = weights.indexOf(Math.max(...weights));
        const where = state.window === 'global' ? own.every : own.around(formatNumber(p));
        plot.show(own.sentence(t, where, formatNumber(weights[top]), names[top]), () =>
          marksOf(plot, state, { p, gaussian, names, weights }),
        );
      },
    };
  },
};

/**
 * The engine's Gaussian at the words and between them. If all gates are 1, the weights are the Gaussian; here each word has
 * several positions.
 * @param {import('../state.js').State} state @param {number} p @param {number} keys @returns {Promise<[number, number][]>}
 */
async function gaussianOf({ window, halfWidth }, p, keys) {
  const count = (keys - 1) * kFine + 1;
  const fine = { kind: /** @type {any} */ (window), halfWidth: halfWidth * kFine };
  const at = window === 'local-p' ? { ...fine, centres: [p * kFine] } : fine;
  const { weights } = await attention({
    query: [[100]],
    key: { data: new Float32Array(count).fill(1), shape: [count, 1] },
    score: 'dot',
    selection: 'gate',
    window: at,
    mask: { firstQuery: Math.round(p * kFine) },
    record: ['weights'],
  });
  return Array.from(weights.data, (g, i) => [i / kFine, g]);
}

/** @param {Plot} plot @param {import('../state.js').State} state @param {{p: number, gaussian: [number, number][], names: string[], weights: number[]}} drawn */
function marksOf(plot, state, { p, gaussian, names, weights }) {
  // A bar and a name for each word.
  const base = plot.atY(0);
  const [from, to] = [Math.max(-0.5, p - state.halfWidth), Math.min(names.length - 0.5, p + state.halfWidth)];
  const wide = plot.atX(1) - plot.atX(0);
  const isLocal = state.window !== 'global';
  const columns = weights.map((weight, j) => {
    const y = plot.atY(weight);
    return svgMake('rect', {
      class: 'bar',
      x: plot.atX(j) - Math.min(14, wide * 0.3),
      width: Math.min(28, wide * 0.6),
      y,
      height: base - y,
    });
  });
  const words = names.map((name, j) =>
    svgMake(
      'text',
      {
        class: Math.abs(j - p) <= state.halfWidth || !isLocal ? 'word' : 'word faint',
        x: plot.atX(j),
        y: base + 18,
        'text-anchor': 'middle',
      },
      name,
    ),
  );
  // The window behind them, and the Gaussian in front.
  return [
    ...(isLocal
      ? [
          svgMake('rect', {
            class: 'window',
            x: plot.atX(from),
            width: plot.atX(to) - plot.atX(from),
            y: plot.atY(1.05),
            height: base - plot.atY(1.05),
          }),
        ]
      : []),
    ...columns,
    ...words,
    ...(gaussian.length > 0
      ? [
          plot.line(gaussian, 'of-query'),
          svgMake('line', { class: 'query-line', x1: plot.atX(p), x2: plot.atX(p), y1: plot.atY(1), y2: base }),
          plot.text(p, 1, `p = ${p.toFixed(1)}`, 'of-query', { dx: 8, dy: -4 }),
        ]
      : []),
  ];
}

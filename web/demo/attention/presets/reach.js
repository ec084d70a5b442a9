// How far a signal travels between two words, and what a layer costs: recurrence, convolution and self-attention.

import { make, slider } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { Plot } from '../plot.js';
import { randomMatrix } from '../random.js';

const kMost = 1024;
const kWidth = 3; // of a convolution
const kWords = ['the', 'keys', 'that', 'she', 'lost', 'were'];

/** The layers' path lengths and multiplications, for n words of d columns (table 1 of the paper). */
const kKinds = [
  {
    name: 'recurrence',
    role: 'without',
    path: (/** @type {number} */ n) => n,
    cost: (/** @type {number} */ n, /** @type {number} */ d) => n * d * d,
  },
  {
    name: `convolution, ${kWidth} wide`,
    role: 'of-key',
    path: (/** @type {number} */ n) => Math.ceil((n - 1) / (kWidth - 1)),
    cost: (/** @type {number} */ n, /** @type {number} */ d) => kWidth * n * d * d,
  },
  {
    name: 'self-attention',
    role: 'with',
    path: () => 1,
    cost: (/** @type {number} */ n, /** @type {number} */ d) => n * n * d,
  },
];

/** @type {import('../presets.js').Preset} */
export const reach = {
  id: 'reach',
  title: 'Every word in one step',
  about: [
    '“The keys that she lost were…”: the verb needs a word five places back. In a recurrent layer the signal goes through every state between them. In a convolution it needs a layer for every few words. In self-attention each word reads each other word at once.',
    'The price is n² products. While sentences are shorter than vectors are wide (n < d), that is the cheaper way. For long texts it is not: windows and linear attention are for these.',
  ],
  equations: ['\\text{path}: O(n) → O(1)', '\\text{cost}: n d^2 → n^2 d'],
  papers: [papers.vaswani],
  state: () => ({
    query: randomMatrix(95, kWords.length, 4, 1.2),
    queryNames: kWords,
    memory: 'self',
    scene: { d: 256 },
  }),
  scene: (workbench) => {
    const x = { name: 'words n', from: 2, to: kMost, ticks: [2, 8, 32, 128, 512], isLog: true };
    const paths = new Plot({
      x,
      y: { name: 'layers or steps between two words', from: 1, to: kMost, ticks: [1, 10, 100, 1000], isLog: true },
      height: 230,
    });
    const costs = new Plot({
      x,
      y: { name: 'multiplications, millions', from: 0.01, to: 1000, ticks: [0.01, 1, 100], isLog: true },
      height: 230,
    });
    const width = slider('width d', { min: 64, max: 1024, step: 64 }, (d) => workbench.change({ scene: { d } }));
    const sizes = Array.from({ length: 40 }, (_, i) => 2 * (kMost / 2) ** (i / 39));
    /** @param {Plot} plot @param {string} summary @param {(kind: typeof kKinds[0], n: number) => number} value @param {number} upper the line whose name stands above it */
    const draw = (plot, summary, value, upper) =>
      plot.show(summary, () =>
        kKinds.flatMap((kind, i) => {
          const within = (/** @type {number} */ y) => Math.max(plot.y.from, Math.min(plot.y.to, y));
          const points = sizes.map((n) => /** @type {[number, number]} */ ([n, within(value(kind, n))]));
          const [x, y] = points[[23, 27, 14][i]];
          const isAbove = i === upper || i === 2;
          /** @type {Record<string, string | number>} */
          const place = isAbove ? { dx: -8, dy: -8, 'text-anchor': 'end' } : { dx: 8, dy: 18 };
          return [plot.line(points, kind.role), plot.text(x, y, kind.name, kind.role, place)];
        }),
      );
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.two', {}, paths.node, costs.node),
        make('div.knobs', {}, width.node),
      ),
      show(state) {
        const d = Number(state.scene.d) || 256;
        width.set(d);
        draw(
          paths,
          'Between two words lie n steps of a recurrence, n / 2 layers of a convolution, one of self-attention.',
          ({ path }, n) => path(n),
          0,
        );
        draw(
          costs,
          `Self-attention costs less than a recurrence below ${d} words.`,
          ({ cost }, n) => cost(n, d) / 1e6,
          1,
        );
      },
    };
  },
};

// The path length between two words, and the cost of a layer, for recurrence, convolution and self-attention.

import { make, slider } from '../../shared/dom.js';
import { foldedMeasured } from '../measured.js';
import { papers } from '../papers.js';
import { Plot } from '../plot.js';
import { randomMatrix } from '../random.js';
import { texts } from '../texts.js';

const kMost = 1024;
const kWidth = 3; // of a convolution
const kWords = ['the', 'keys', 'that', 'she', 'lost', 'were'];

/** The path length and the multiplications of each kind of layer, for n words of d columns (table 1 of the paper). */
const kKinds = [
  {
    role: 'without',
    path: (/** @type {number} */ n) => n,
    cost: (/** @type {number} */ n, /** @type {number} */ d) => n * d * d,
  },
  {
    role: 'of-key',
    path: (/** @type {number} */ n) => Math.ceil((n - 1) / (kWidth - 1)),
    cost: (/** @type {number} */ n, /** @type {number} */ d) => kWidth * n * d * d,
  },
  {
    role: 'with',
    path: () => 1,
    cost: (/** @type {number} */ n, /** @type {number} */ d) => n * n * d,
  },
];

const kWide = 8; // pixels of a letter, at the most
// Places where no other line is near, on narrow plots too.
const kPathNames = [{ at: 23, isAbove: true }, { at: 27 }, { at: 36, isAbove: true }];
const kCostNames = [{ at: 36 }, { at: 27, isAbove: true }, { at: 12 }];

/** @type {import('../presets.js').Preset} */
export const reach = {
  id: 'reach',
  equations: ['\\text{path}: O(n) → O(1)', '\\text{cost}: n d^2 → n^2 d'],
  papers: [papers.vaswani],
  state: () => ({
    query: randomMatrix(95, kWords.length, 4, 1.2),
    queryNames: kWords,
    memory: 'self',
    scene: { d: 256 },
  }),
  scene: (workbench) => {
    // Two plots over the number of words, and the width of vectors.
    const own = texts.lessons.reach;
    const x = { name: own.words, from: 2, to: kMost, ticks: [2, 8, 32, 128, 512], isLog: true };
    const paths = new Plot({
      x,
      y: { name: own.paths, from: 1, to: kMost, ticks: [1, 10, 100, 1000], isLog: true },
      height: 230,
    });
    const costs = new Plot({
      x,
      y: { name: own.costs, from: 0.0002, to: 5000, ticks: [0.001, 0.1, 10, 1000], isLog: true },
      height: 230,
    });
    const width = slider(own.width, { min: 64, max: 1024, step: 64 }, (d) => workbench.change({ scene: { d } }));
    const sizes = Array.from({ length: 40 }, (_, i) => 2 * (kMost / 2) ** (i / 39));
    /**
     * @param {Plot} plot
     * @param {string} summary
     * @param {(kind: typeof kKinds[0], n: number) => number} value
     * @param {{at: number, isAbove?: boolean}[]} names at which of the sizes each line has its name, and on which side
     */
    const draw = (plot, summary, value, names) =>
      plot.show(summary, () =>
        kKinds.flatMap((kind, i) => {
          const points = sizes.map((n) => /** @type {[number, number]} */ ([n, value(kind, n)]));
          const { at, isAbove } = names[i];
          const [x, y] = points[at];
          /** @type {Record<string, string | number>} */
          const place = isAbove ? { dx: -8, dy: -8, 'text-anchor': 'end' } : belowAt(plot, x, own.kinds[i]);
          return [plot.line(points, kind.role), plot.text(x, y, own.kinds[i], kind.role, place)];
        }),
      );
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.two', {}, paths.node, costs.node),
        make('div.settings', {}, width.node),
        foldedMeasured(own, { part: 'encoding', height: 420 }),
      ),
      show(state) {
        const d = Number(state.scene.d) || 256;
        width.set(d);
        draw(paths, own.pathsSaid, ({ path }, n) => path(n), kPathNames);
        draw(costs, own.costsSaid(d), ({ cost }, n) => cost(n, d) / 1e6, kCostNames);
      },
    };
  },
};

/**
 * Where a name below a line stands: right of its point, or at the plot's edge where it has no room there.
 * @param {Plot} plot
 * @param {number} x of the point
 * @param {string} name
 * @returns {Record<string, string | number>} attributes
 */
function belowAt(plot, x, name) {
  const room = plot.width - plot.atX(x);
  return room > 8 + kWide * name.length ? { dx: 8, dy: 18 } : { dx: room, dy: 28, 'text-anchor': 'end' };
}

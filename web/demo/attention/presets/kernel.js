// Attention as kernel regression: a point is a key with its value, and the curve is the output for each query.

import { attention } from '../../../lib/attention/index.js';
import { formatNumber } from '../../../view/numbers.js';
import { callOf } from '../compute.js';
import { make, slider, svgMake } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { Plot } from '../plot.js';
import { texts } from '../texts.js';

const kPoints = 121;
const kFrom = -3.5;
const kTo = 3.5;
const kBarHeight = 60;

/** @type {import('../presets.js').Preset} */
export const kernel = {
  id: 'kernel',
  equations: [
    '\\c{y}(\\q{x}) = ∑_j \\frac{\\text{exp}(−w^2 (\\q{x} − \\k{x_j})^2 / 2)}{∑_i \\text{exp}(−w^2 (\\q{x} − \\k{x_i})^2 / 2)} \\v{y_j}',
  ],
  papers: [papers.nadaraya, papers.watson],
  state: () => ({
    query: [[0.6], [-2], [2.6]],
    key: [[-3], [-2.2], [-1.3], [-0.4], [0.4], [1.2], [2.1], [3]],
    value: [[-0.3], [-1.1], [-0.8], [0.3], [0.9], [1.3], [0.6], [-0.4]],
    score: 'gaussian',
    parameters: { w: [[2]] },
  }),
  scene: (workbench) => {
    // The plot, and what the reader changes: the width h = 1 / w of the kernel, and the query.
    const own = texts.lessons.kernel;
    const plot = new Plot({
      x: { name: own.x, from: kFrom, to: kTo, ticks: [-3, -2, -1, 0, 1, 2, 3] },
      y: { name: own.y, from: -2.2, to: 2, ticks: [-1, 0, 1] },
      height: 320,
    });
    const width = slider(own.width, { min: 0.1, max: 3, step: 0.05, say: (h) => h.toFixed(2) }, (h) =>
      workbench.change({ parameters: { w: [[Number((1 / h).toFixed(3))]] } }),
    );
    const where = slider(own.where, { min: -3.4, max: 3.4, step: 0.05, say: (x) => formatNumber(x) }, (x) =>
      workbench.change({ query: [[x], ...workbench.state().query.slice(1)] }),
    );
    bindDrag(plot, workbench);
    return {
      node: make('div.picture', {}, plot.node, make('div.settings', {}, width.node, where.node, hint())),
      async show(state, result) {
        if (state.parameters.w) width.set(Number((1 / state.parameters.w[0][0]).toFixed(2)));
        where.set(state.query[0][0]);
        // Only a curve over one dimension can be drawn.
        if (!result || state.key[0].length !== 1 || state.value[0].length !== 1) return;
        const curve = await curveOf(state);
        const y = result.output.data[0];
        const summary = own.sentence(formatNumber(state.query[0][0]), formatNumber(y));
        plot.show(summary, () => marksOf(plot, state, result, curve));
      },
    };
  },
};

const hint = () => make('p.caption', {}, texts.lessons.kernel.hint);

/** The engine's outputs for many queries. @param {import('../state.js').State} state @returns {Promise<[number, number][]>} */
async function curveOf(state) {
  const grid = Array.from({ length: kPoints }, (_, i) => [kFrom + ((kTo - kFrom) * i) / (kPoints - 1)]);
  const plain = {
    ...state,
    query: grid,
    allowed: null,
    bias: null,
    window: 'global',
    causal: false,
    convention: /** @type {const} */ ('rows'),
  };
  const { options } = callOf(plain);
  const { output } = await attention(/** @type {any} */ ({ ...options, record: [] }));
  return grid.map(([x], i) => [x, output.data[i]]);
}

/** @param {Plot} plot @param {import('../state.js').State} state @param {import('../compute.js').Result} result @param {[number, number][]} curve */
function marksOf(plot, state, result, curve) {
  const x = state.query[0][0];
  const base = plot.atY(plot.y.from);
  const weights = state.key.map(([key], j) => {
    const height = kBarHeight * result.weights.data[j];
    return svgMake('rect', { class: 'bar', x: plot.atX(key) - 7, width: 14, y: base - height, height });
  });
  const clip = (/** @type {number} */ y) => Math.max(plot.y.from, Math.min(plot.y.to, y));
  const points = state.key.map(([key], j) => {
    const dot = plot.dot(key, clip(state.value[j][0]), 'of-value draggable', 7);
    dot.dataset.point = String(j);
    return dot;
  });
  const line = svgMake('line', { class: 'query-line draggable', x1: plot.atX(x), x2: plot.atX(x), y1: 14, y2: base });
  line.dataset.query = '0';
  return [
    ...weights,
    plot.line(
      curve.map(([at, y]) => [at, clip(y)]),
      'of-context',
    ),
    line,
    plot.text(x, plot.y.to, texts.lessons.kernel.query, 'of-query', { dx: 6, dy: 4 }),
    ...points,
    plot.dot(x, clip(result.output.data[0]), 'of-context', 6),
  ];
}

/** Lets the reader drag the points and the query. @param {Plot} plot @param {import('../presets.js').Workbench} workbench */
function bindDrag(plot, workbench) {
  /** @type {DOMStringMap | null} */
  let held = null;
  const round = (/** @type {number} */ x, /** @type {number} */ most) =>
    Math.round(20 * Math.max(-most, Math.min(most, x))) / 20;
  plot.node.addEventListener('pointerdown', (/** @type {any} */ event) => {
    const { point, query } = event.target.dataset;
    if (point === undefined && query === undefined) return;
    held = event.target.dataset;
    plot.node.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  plot.node.addEventListener('pointermove', (/** @type {any} */ event) => {
    if (!held) return;
    const [x, y] = plot.valuesAt(event).map((value, axis) => round(value, axis ? 2 : 3.4));
    const { query, key, value } = workbench.state();
    if (held.query !== undefined) return workbench.change({ query: [[x], ...query.slice(1)] });
    const at = Number(held.point);
    const put = (/** @type {number[][]} */ rows, /** @type {number} */ to) =>
      rows.map((row, j) => (j === at ? [to] : row));
    workbench.change({ key: put(key, x), value: put(value, y) });
  });
  for (const end of ['pointerup', 'pointercancel']) plot.node.addEventListener(end, () => (held = null));
}

// The block: what the residual, the norm and the feed-forward layer around attention are for.

import { layerNorm, layersOf, ownPart, size } from '../block.js';
import { checkbox, make, slider } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { Plot } from '../plot.js';
import { randomMatrix } from '../random.js';
import { within } from '../state.js';
import { texts } from '../texts.js';

const kWords = ['the', 'cat', 'sat', 'on', 'it'];
const kDepth = 8;
const kMostSize = 3000;

const words = () => randomMatrix(141, kWords.length, 4);
const partsOf = (/** @type {Record<string, number | string>} */ scene) => ({
  residual: Boolean(scene.residual),
  norm: Boolean(scene.norm),
  feed: Boolean(scene.feed),
});

/** The input of the attention in the chosen layer. @param {Record<string, number | string>} scene */
async function inputOfLayer(scene) {
  const before = (await layersOf(words(), partsOf(scene), kDepth))[within(scene.layer, 1, kDepth) - 1];
  const read = scene.norm ? layerNorm(before) : before;
  const round = (/** @type {number} */ x) => Math.round(100 * Math.max(-99, Math.min(99, x))) / 100 + 0;
  return read.map((row) => row.map(round));
}

/** @type {import('../presets.js').Preset} */
export const block = {
  id: 'block',
  equations: ['x′ = x + \\text{attention}(\\text{norm}(x))', 'x″ = x′ + W_2 \\text{relu}(W_1 \\text{norm}(x′))'],
  papers: [papers.vaswani, papers.he, papers.ba, papers.dong],
  state: () => ({
    query: layerNorm(words()).map((row) => row.map((x) => Math.round(100 * x) / 100 + 0)),
    queryNames: kWords,
    memory: 'self',
    scene: { layer: 1, residual: 1, norm: 1, feed: 1 },
  }),
  scene: (workbench) => {
    // Two plots over the layers, and what the reader switches on or off.
    const own = texts.lessons.block;
    const x = { name: own.layers, from: 0, to: kDepth, ticks: [0, 2, 4, 6, 8] };
    const parts = new Plot({ x, y: { name: own.ownPart, from: 0, to: 1, ticks: [0, 0.5, 1] }, height: 230 });
    const sizes = new Plot({
      x,
      y: { name: own.size, from: 0.1, to: kMostSize, ticks: [0.1, 1, 10, 100, 1000], isLog: true },
      height: 230,
    });
    const set = async (/** @type {Record<string, number>} */ patch) => {
      const scene = { ...workbench.state().scene, ...patch };
      workbench.change({ query: await inputOfLayer(scene), scene, pinned: null });
    };
    const residual = checkbox(own.residual, (on) => set({ residual: Number(on) }));
    const norm = checkbox(own.norm, (on) => set({ norm: Number(on) }));
    const feed = checkbox(own.feed, (on) => set({ feed: Number(on) }));
    const layer = slider(own.layer, { min: 1, max: kDepth, step: 1 }, (value) => set({ layer: value }));
    const said = make('p.verdict', { role: 'status' });
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.row', {}, residual.node, norm.node, feed.node),
        make('div.two', {}, parts.node, sizes.node),
        make('div.settings', {}, layer.node, said),
      ),
      async show(state) {
        const chosen = partsOf(state.scene);
        const at = within(state.scene.layer, 1, kDepth);
        residual.set(chosen.residual);
        norm.set(chosen.norm);
        feed.set(chosen.feed);
        layer.set(at);
        const bare = { residual: false, norm: false, feed: false };
        const [mine, alone] = await Promise.all([chosen, bare].map((kind) => layersOf(words(), kind, kDepth)));
        draw(parts, ownPart, mine, alone, at, own.parts);
        draw(sizes, size, mine, alone, at, own.sizes);
        said.textContent = own.verdict(
          Math.round(100 * ownPart(mine[kDepth])),
          Math.round(100 * ownPart(alone[kDepth])),
        );
      },
    };
  },
};

/**
 * Draws a measure after each layer: with the chosen parts, and with attention alone.
 * @param {Plot} plot
 * @param {(x: number[][]) => number} measure
 * @param {number[][][]} mine
 * @param {number[][][]} alone
 * @param {number} at the layer whose attention is shown below
 * @param {(after: number, value: string) => string} say
 */
function draw(plot, measure, mine, alone, at, say) {
  const own = texts.lessons.block;
  const pointsOf = (/** @type {number[][][]} */ all) =>
    all.map((x, n) => {
      const value = Math.max(plot.y.from, Math.min(plot.y.to, measure(x)));
      return /** @type {[number, number]} */ ([n, value]);
    });
  const [chosen, bare] = [pointsOf(mine), pointsOf(alone)];
  const isSame = chosen.every(([, y], n) => y === bare[n][1]);
  const end = (/** @type {[number, number][]} */ points, /** @type {string} */ name, /** @type {string} */ role) =>
    plot.text(kDepth, points[kDepth][1], name, role, { dx: -2, dy: -8, 'text-anchor': 'end' });
  plot.show(say(kDepth, measure(mine[kDepth]).toFixed(2)), () => [
    plot.line(bare, 'without'),
    end(bare, own.alone, 'without'),
    ...(isSame ? [] : [plot.line(chosen, 'with'), end(chosen, own.chosen, 'with')]),
    plot.dot(at - 1, chosen[at - 1][1], 'with'),
  ]);
}

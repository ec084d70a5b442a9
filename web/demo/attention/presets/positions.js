// Positions: without them the order of words has no effect. Sinusoids encode a position by rotations of several frequencies.

import { attention, positions as places } from '../../../lib/attention/index.js';
import { compute } from '../compute.js';
import { button, checkbox, make, slider, svgMake } from '../../shared/dom.js';
import { learnedTable } from '../learned-table.js';
import { papers } from '../papers.js';
import { randomMatrix, uniform } from '../random.js';
import { within } from '../state.js';
import { texts } from '../texts.js';

const kWords = ['dog', 'bites', 'the', 'man'];
const kSize = 4;
const kFirst = '0123';

const embeddings = () => randomMatrix(61, kWords.length, kSize);

/** @type {import('../presets.js').Preset} */
export const positions = {
  id: 'positions',
  equations: ['\\q{x_i} = \\text{word} + p(i)', 'p(i + δ) = R(δ) p(i)', '\\q{x_i} = \\text{word} + P_i'],
  papers: [papers.vaswani, papers.gehring],
  state: () => ({
    query: embeddings(),
    queryNames: kWords,
    memory: 'self',
    scene: { order: kFirst, on: 0, i: 1, delta: 2 },
  }),
  scene: (workbench) => {
    // The order of the words with its results, and below it a position and a rotation.
    const own = texts.lessons.positions;
    const on = checkbox(own.on, (value) => set({ on: Number(value) }));
    const shuffle = button(own.shuffle, () => set({ order: shuffled(orderOf(workbench.state().scene)) }));
    const back = button(own.back, () => set({ order: kFirst }));
    const [before, now] = [own.before, own.now].map(comparison);
    const verdict = make('p.verdict', { role: 'status' });
    const first = slider(own.place, { min: 0, max: 7, step: 1 }, (i) => set({ i }));
    const by = slider(own.turn, { min: -4, max: 8, step: 1 }, (delta) => set({ delta }));
    const clocks = svgMake('svg', { class: 'clocks', role: 'img', height: 138, width: 300 });
    const product = make('p.caption');

    /** @param {Record<string, number | string>} patch */
    async function set(patch) {
      const scene = { ...workbench.state().scene, ...patch };
      workbench.change({ ...(await sentenceOf(scene)), scene });
    }
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.row', {}, shuffle, back, on.node),
        make('div.row.tops', {}, before.node, now.node),
        verdict,
        make('div.row.tops', {}, make('div', {}, clocks, product), make('div.settings', {}, first.node, by.node)),
        learnedTable(),
      ),
      async show(state, result) {
        const { on: isOn } = state.scene;
        const order = orderOf(state.scene);
        const [i, delta] = [within(state.scene.i, 0, 7), within(state.scene.delta, -4, 8)];
        on.set(Boolean(isOn));
        first.set(i);
        by.set(delta);
        await drawClocks(clocks, product, i, delta);
        if (!result || state.query.length !== kWords.length || state.heads > 1) return;
        const original = await compute({ ...state, ...(await sentenceOf({ ...state.scene, order: kFirst })) });
        const width = state.query[0].length;
        const rows = [...order].map(Number);
        const listed = kWords.flatMap((_, word) => {
          const at = rows.indexOf(word);
          return Array.from({ length: width }, (_, c) => result.output.data[at * width + c]);
        });
        before.show(Array.from(original.output.data), width);
        now.show(listed, width);
        const isSame = listed.every((x, at) => x.toFixed(2) === original.output.data[at].toFixed(2));
        const isFirst = order === kFirst;
        verdict.textContent = isFirst ? own.first : isSame ? own.same : own.changed;
      },
    };
  },
};

/** @param {string} title */
function comparison(title) {
  const grid = /** @type {import('../../../view/grid.js').GridElement} */ (document.createElement('qkv-grid'));
  const node = make('figure.matrix-figure', {}, make('figcaption', {}, make('span.title', {}, title)), grid);
  node.dataset.role = 'context';
  return {
    node,
    /** @param {number[]} data @param {number} width */
    show(data, width) {
      const columns = Array.from({ length: width }, (_, c) => String(c + 1));
      grid.grid = {
        name: title,
        axes: ['word', 'value'],
        rows: kWords,
        columns,
        data,
        kind: 'signed',
        summary: texts.lessons.positions.rows(title),
      };
    },
  };
}

/** The sentence in an order, with or without positions. @param {Record<string, number | string>} scene */
async function sentenceOf(scene) {
  const rows = [...orderOf(scene)].map(Number);
  const words = embeddings();
  const { data } = await places.sinusoidal(rows.length, kSize);
  const round = (/** @type {number} */ x) => Math.round(100 * x) / 100 + 0;
  const query = rows.map((word, i) =>
    words[word].map((x, c) => round(x + (Number(scene.on) ? data[i * kSize + c] : 0))),
  );
  return { query, queryNames: rows.map((word) => kWords[word]) };
}

/** An order of the words, as their digits. @param {Record<string, number | string>} scene */
function orderOf({ order }) {
  const word = String(order);
  return [...word].sort().join('') === kFirst ? word : kFirst;
}

/** An order that is not this one. @param {string} order */
function shuffled(order) {
  const next = uniform([...order].reduce((sum, digit) => 7 * sum + Number(digit), 5));
  const mixed = [...order].map((digit) => ({ digit, by: next() })).sort((a, b) => a.by - b.by);
  const made = mixed.map(({ digit }) => digit).join('');
  return made === order || made === kFirst ? order.slice(1) + order[0] : made;
}

const kClocks = 2;

/** Draws each frequency as a clock with two hands, and writes the vectors below. @param {SVGElement} svg @param {HTMLElement} caption @param {number} i @param {number} delta */
async function drawClocks(svg, caption, i, delta) {
  const later = Math.max(0, i + delta);
  const [from, to, turn] = await Promise.all([
    places.sinusoidal(1, kSize, { first: i }),
    places.sinusoidal(1, kSize, { first: later }),
    places.rotation(later - i, kSize),
  ]);
  // R p(i), as the engine's products of one query with the rows of R.
  const { scores } = await attention({ query: from, key: turn, score: 'dot', record: ['scores'] });
  const text = (/** @type {ArrayLike<number>} */ x) => Array.from(x, (y) => y.toFixed(2).replace('-', '−')).join('  ');
  const names = [`p(${i})`, `p(${later})`];
  svg.replaceChildren(
    ...Array.from({ length: kClocks }, (_, j) => {
      const hand = (/** @type {ArrayLike<number>} */ p, /** @type {string} */ role) =>
        svgMake('line', { class: `hand of-${role}`, x1: 0, y1: 0, x2: 46 * p[j], y2: -46 * p[kClocks + j] });
      const label = svgMake(
        'text',
        { y: 74, 'text-anchor': 'middle' },
        texts.lessons.positions.frequency(10000 ** ((-2 * j) / kSize)),
      );
      return svgMake(
        'g',
        { transform: `translate(${70 + 150 * j} 56)` },
        svgMake('circle', { r: 50 }),
        hand(from.data, 'query'),
        hand(to.data, 'key'),
        label,
      );
    }),
  );
  svg.setAttribute('aria-label', texts.lessons.positions.clocks(i, later));
  const part = (/** @type {string} */ role, /** @type {string} */ words) => make(`span.of-${role}`, {}, words);
  caption.replaceChildren(
    part('query', `${names[0]} = ${text(from.data)}`),
    make('br'),
    part('score', `R(${String(later - i).replace('-', '−')}) ${names[0]} = ${text(scores.data)}`),
    make('br'),
    part('key', `${names[1]} = ${text(to.data)}`),
  );
}

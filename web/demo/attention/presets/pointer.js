// A pointer network that sorts: the chosen keys are the output.

import { button, make, scrollable, segmented, svgMake } from '../../shared/dom.js';
import { foldedMeasured } from '../measured.js';
import { papers } from '../papers.js';
import { uniform } from '../random.js';
import { texts } from '../texts.js';

/** @param {number[]} numbers @param {number} sign */
const stateOf = (numbers, sign) => ({
  query: numbers.map(() => [sign]),
  key: numbers.map((x) => [x]),
  queryNames: numbers.map((_, i) => texts.lessons.pointer.step(i + 1)),
});

/** @type {import('../presets.js').Preset} */
export const pointer = {
  id: 'pointer',
  equations: ['\\text{answer}_i = \\text{argmax}_j \\s{s_{ij}} \\text{ over keys not yet taken}'],
  papers: [papers.vinyals],
  state: () => ({
    ...stateOf([3, 1, 4, 1.5, 9, 2.6], 1),
    memory: 'one',
    score: 'dot',
    selection: 'argmax',
    once: true,
    scene: { seed: 1 },
  }),
  scene: (workbench) => {
    // The order, other numbers, and a picture with arrows from the steps to the numbers.
    const own = texts.lessons.pointer;
    const order = segmented(
      own.order,
      [
        ['1', own.largest],
        ['-1', own.smallest],
      ],
      (sign) => {
        const { key } = workbench.state();
        workbench.change(
          stateOf(
            key.map(([x]) => x),
            Number(sign),
          ),
        );
      },
    );
    const other = button(own.other, () => {
      const { scene, key, query } = workbench.state();
      const seed = Number(scene.seed) + 1;
      const next = uniform(seed);
      workbench.change({
        ...stateOf(
          key.map(() => Math.round(99 * next()) / 10),
          query[0][0],
        ),
        scene: { seed },
      });
    });
    const drawing = svgMake('svg', { class: 'pointer', role: 'img' });
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.row', {}, order.node, other),
        scrollable(make('div.wide', {}, drawing), own.picture),
        make('p.caption', {}, make('a', { href: 'lab.html#experiment=pointer' }, own.train)),
        foldedMeasured(own, { part: 'hull', height: 420 }),
      ),
      show(state, result) {
        order.set(String(Math.sign(state.query[0][0])));
        if (result) draw(drawing, state, Array.from(result.chosen.data));
      },
    };
  },
};

const kStep = 72;
const kDrop = 96;

/** Draws the numbers, below them the sorted numbers, and an arrow for each. @param {SVGElement} svg @param {import('../state.js').State} state @param {number[]} chosen */
function draw(svg, state, chosen) {
  const numbers = state.key.map(([x]) => x);
  const x = (/** @type {number} */ at) => 40 + at * kStep;
  const chip = (
    /** @type {number} */ at,
    /** @type {number} */ y,
    /** @type {string} */ text,
    /** @type {string} */ role,
  ) =>
    svgMake(
      'g',
      { transform: `translate(${x(at)} ${y})`, class: `chip of-${role}` },
      svgMake('rect', { x: -26, y: -16, width: 52, height: 32, rx: 6 }),
      svgMake('text', { y: 5, 'text-anchor': 'middle' }, text),
    );
  const arrows = chosen.map((j, i) =>
    j < 0
      ? svgMake('g')
      : svgMake('path', {
          class: 'line of-weights',
          d: `M${x(i)} ${18 + kDrop - 18} C${x(i)} ${kDrop / 2 + 18} ${x(j)} ${kDrop / 2 + 18} ${x(j)} 36`,
        }),
  );
  const sorted = chosen.map((j) => (j < 0 ? '–' : String(numbers[j])));
  svg.replaceChildren(
    ...arrows,
    ...numbers.map((value, j) => chip(j, 20, String(value), 'key')),
    ...sorted.map((value, i) => chip(i, 20 + kDrop, value, 'query')),
  );
  svg.setAttribute('width', String(x(Math.max(numbers.length, chosen.length) - 1) + 40));
  svg.setAttribute('height', String(kDrop + 44));
  svg.setAttribute('aria-label', texts.lessons.pointer.sentence(numbers.join(', '), sorted.join(', ')));
}

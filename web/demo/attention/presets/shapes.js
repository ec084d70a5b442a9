// An example of shapes: which sizes must be equal, and the size of the result.

import { make, scrollable, segmented, svgMake } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { randomMatrix } from '../random.js';
import { sizesOf } from '../state.js';
import { texts } from '../texts.js';

/** @type {Record<string, () => Partial<import('../state.js').State>>} */
const kCases = {
  worked: () => ({
    query: randomMatrix(3, 4, 6),
    key: randomMatrix(4, 3, 6),
    value: randomMatrix(5, 3, 2),
    convention: 'columns',
    queryNames: [],
    keyNames: [],
    score: 'dot',
  }),
  teacher: () => ({
    query: randomMatrix(6, 5, 4),
    key: randomMatrix(7, 3, 4),
    memory: 'one',
    convention: 'columns',
    queryNames: ['老', '师', '早', '上', '好'],
    keyNames: ['Good', 'morning', 'teacher'],
    score: 'scaled-dot',
  }),
  misfit: () => ({
    query: randomMatrix(8, 3, 4),
    key: randomMatrix(9, 4, 2),
    value: randomMatrix(10, 4, 3),
    convention: 'columns',
    queryNames: [],
    keyNames: [],
    score: 'dot',
  }),
};

const kFresh = {
  memory: /** @type {const} */ ('key-value'),
  parameters: {},
  heads: 1,
  joined: false,
  pinned: null,
  step: '',
};

/** @type {import('../presets.js').Preset} */
export const shapes = {
  id: 'shapes',
  equations: ['\\k{K}^⊤ \\q{Q}: (n × d) (d × m) = n × m', '\\c{C} = \\v{V} \\text{softmax}(\\k{K}^⊤ \\q{Q})'],
  papers: [papers.luong, papers.vaswani],
  state: () => ({ ...kCases.worked(), scene: { case: 'worked' } }),
  scene: (workbench) => {
    const own = texts.lessons.shapes;
    const choice = segmented(
      own.cases,
      [
        ['worked', own.worked],
        ['teacher', own.teacher],
        ['misfit', own.misfit],
      ],
      (value) => workbench.open({ ...kFresh, ...kCases[value](), scene: { case: value } }),
    );
    const drawing = svgMake('svg', { class: 'shapes', role: 'img' });
    return {
      node: make('div.picture.stacked', {}, choice.node, scrollable(make('div.wide', {}, drawing), own.picture)),
      show(state, _result, error) {
        choice.set(String(state.scene.case));
        drawShapes(drawing, state, error);
      },
    };
  },
};

const kUnit = 13;

/** @typedef {{name: string, role: string, rows: number, columns: number}} Box a matrix as a box */

/** Draws the products as boxes. @param {SVGElement} svg @param {import('../state.js').State} state @param {Error | null} error */
function drawShapes(svg, state, error) {
  const parts = partsOf(state, error !== null);
  const tall = Math.max(...parts.map((part) => (typeof part === 'string' ? 0 : part.rows))) * kUnit;
  // Boxes and signs, from left to right.
  let x = 4;
  const nodes = parts.flatMap((part) => {
    const drawn = typeof part === 'string' ? drawnSign(part, x, tall) : drawnBox(part, x, tall);
    x += drawn.width;
    return drawn.nodes;
  });
  svg.replaceChildren(...nodes);
  svg.setAttribute('width', String(x));
  svg.setAttribute('height', String(tall + 26));
  const sentences = parts
    .map((part) => (typeof part === 'string' ? part : texts.lessons.shapes.by(part.name, part.rows, part.columns)))
    .filter(Boolean);
  svg.setAttribute('aria-label', `${sentences.join(' ')}${error ? texts.lessons.shapes.not : ''}`);
}

/**
 * The matrices and signs of both products, in the state's convention.
 * @param {import('../state.js').State} state
 * @param {boolean} hasFailed whether the sizes do not fit: then only the first product is drawn, without its result
 * @returns {(Box | string)[]}
 */
function partsOf(state, hasFailed) {
  const { queries, keys, queryDim, keyDim, valueDim } = sizesOf(state);
  const isTransposed = state.convention === 'columns';
  /** @type {(name: string, role: string, rows: number, columns: number) => Box} */
  const box = (name, role, rows, columns) =>
    isTransposed ? { name, role, rows: columns, columns: rows } : { name, role, rows, columns };
  /** @type {(of: Box) => Box} */
  const transposed = (of) => ({ ...of, name: `${of.name}⊤`, rows: of.columns, columns: of.rows });
  const [q, k, v] = [
    box('Q', 'query', queries, queryDim),
    box('K', 'key', keys, keyDim),
    box('V', 'value', keys, valueDim),
  ];
  const [s, a, c] = [
    box('S', 'score', queries, keys),
    box('A', 'weights', queries, keys),
    box('C', 'context', queries, valueDim),
  ];
  const first = isTransposed ? [transposed(k), '·', q, '→', s] : [q, '·', transposed(k), '→', s];
  const second = isTransposed ? [v, '·', a, '→', c] : [a, '·', v, '→', c];
  return hasFailed ? [...first.slice(0, 3), '✗'] : [...first, '', ...second];
}

/** @param {string} sign '' is a gap @param {number} x @param {number} tall */
const drawnSign = (sign, x, tall) => ({
  width: sign === '' ? 40 : 24,
  nodes: [svgMake('text', { class: 'sign', x: x + 12, y: tall / 2 + 5, 'text-anchor': 'middle' }, sign)],
});

/** A box with a grid, and its name and size below. @param {Box} box @param {number} x @param {number} tall */
function drawnBox({ name, role, rows, columns }, x, tall) {
  const [width, height] = [columns * kUnit, rows * kUnit];
  const room = Math.max(width, 58);
  const [left, top] = [x + (room - width) / 2, (tall - height) / 2];
  const down = Array.from({ length: columns - 1 }, (_, i) => {
    const at = left + (i + 1) * kUnit;
    return { x1: at, y1: top, x2: at, y2: top + height };
  });
  const across = Array.from({ length: rows - 1 }, (_, i) => {
    const at = top + (i + 1) * kUnit;
    return { x1: left, y1: at, x2: left + width, y2: at };
  });
  return {
    width: room + 8,
    nodes: [
      svgMake('rect', { class: `of-${role}`, x: left, y: top, width, height }),
      ...[...down, ...across].map((line) => svgMake('line', { class: `of-${role}`, ...line })),
      svgMake(
        'text',
        { class: `of-${role}`, x: x + room / 2, y: tall + 18, 'text-anchor': 'middle' },
        `${name} ${rows} × ${columns}`,
      ),
    ],
  };
}

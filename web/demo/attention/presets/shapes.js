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

/** Draws the products as boxes. After an error only the first product is drawn. @param {SVGElement} svg @param {import('../state.js').State} state @param {Error | null} error */
function drawShapes(svg, state, error) {
  // The matrices and signs in their order, in the state's convention.
  const { queries, keys, queryDim, keyDim, valueDim } = sizesOf(state);
  const isTransposed = state.convention === 'columns';
  const box = (
    /** @type {string} */ name,
    /** @type {string} */ role,
    /** @type {number} */ rows,
    /** @type {number} */ columns,
  ) => ({
    name,
    role,
    rows: isTransposed ? columns : rows,
    columns: isTransposed ? rows : columns,
  });
  const [q, k, v] = [
    box('Q', 'query', queries, queryDim),
    box('K', 'key', keys, keyDim),
    box('V', 'value', keys, valueDim),
  ];
  const transposed = (/** @type {typeof k} */ of) => ({
    ...of,
    name: `${of.name}⊤`,
    rows: of.columns,
    columns: of.rows,
  });
  const [s, a, c] = [
    box('S', 'score', queries, keys),
    box('A', 'weights', queries, keys),
    box('C', 'context', queries, valueDim),
  ];
  const first = isTransposed ? [transposed(k), '·', q, '→', s] : [q, '·', transposed(k), '→', s];
  const second = isTransposed ? [v, '·', a, '→', c] : [a, '·', v, '→', c];
  const parts = [...(error ? first.slice(0, 3) : first), ...(error ? ['✗'] : ['', ...second])];
  // A box with a grid for each matrix, from left to right.
  let x = 4;
  const tall = Math.max(...parts.map((part) => (typeof part === 'string' ? 0 : part.rows))) * kUnit;
  const nodes = parts.flatMap((part) => {
    if (typeof part === 'string') {
      const sign = svgMake('text', { class: 'sign', x: x + 12, y: tall / 2 + 5, 'text-anchor': 'middle' }, part);
      x += part === '' ? 40 : 24;
      return [sign];
    }
    const [width, height] = [part.columns * kUnit, part.rows * kUnit];
    const room = Math.max(width, 58);
    const left = x + (room - width) / 2;
    const top = (tall - height) / 2;
    const rect = svgMake('rect', { class: `of-${part.role}`, x: left, y: top, width, height });
    const lines = [
      ...Array.from({ length: part.columns - 1 }, (_, i) => [
        left + (i + 1) * kUnit,
        top,
        left + (i + 1) * kUnit,
        top + height,
      ]),
      ...Array.from({ length: part.rows - 1 }, (_, i) => [
        left,
        top + (i + 1) * kUnit,
        left + width,
        top + (i + 1) * kUnit,
      ]),
    ].map(([x1, y1, x2, y2]) => svgMake('line', { class: `of-${part.role}`, x1, y1, x2, y2 }));
    const label = svgMake(
      'text',
      { class: `of-${part.role}`, x: x + room / 2, y: tall + 18, 'text-anchor': 'middle' },
      `${part.name} ${part.rows} × ${part.columns}`,
    );
    x += room + 8;
    return [rect, ...lines, label];
  });
  svg.replaceChildren(...nodes);
  svg.setAttribute('width', String(x));
  svg.setAttribute('height', String(tall + 26));
  const sentences = parts
    .map((part) => (typeof part === 'string' ? part : texts.lessons.shapes.by(part.name, part.rows, part.columns)))
    .filter(Boolean);
  svg.setAttribute('aria-label', `${sentences.join(' ')}${error ? texts.lessons.shapes.not : ''}`);
}

// Several heads attend to different words, and W_o mixes their contexts. Or several queries attend to one memory.

import { attention } from '../../../lib/attention/index.js';
import { onThemeChange, weightScale } from '../../../view/colour.js';
import { make, segmented, svgMake } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { namesOf, sizesOf } from '../state.js';
import { withSymbols } from '../symbols.js';
import { texts } from '../texts.js';

const kWords = ['the', 'red', 'house', 'the', 'blue', 'door'];
/** The kind of each word: article, adjective, noun. */
const kKinds = [0, 1, 2, 0, 1, 2];
const kStrength = 4;

/** Draws the thumbnails in view again. */
let redraw = () => {};
onThemeChange(() => redraw());

const round = (/** @type {number} */ x) => Math.round(100 * x) / 100 + 0;

/** A position as a point on a half circle. @param {number} place @param {number} length */
const angle = (place, length) =>
  [Math.cos((Math.PI * place) / 6), Math.sin((Math.PI * place) / 6)].map((x) => round(length * x));
/** A kind as a corner of a triangle. @param {number} kind @param {number} length */
const corner = (kind, length) =>
  [Math.cos((2 * Math.PI * kind) / 3), Math.sin((2 * Math.PI * kind) / 3)].map((x) => round(length * x));

const kCases = {
  heads: () => ({
    query: kWords.map((_, i) => [...corner(kKinds[i], kStrength), ...angle(i - 1, 3 * kStrength)]),
    key: kWords.map((_, i) => [...corner(kKinds[i], 1), ...angle(i, 2)]),
    value: kWords.map((_, i) => [...corner(kKinds[i], 1), ...angle(i, 1)]),
    queryNames: kWords,
    keyNames: kWords,
    memory: /** @type {const} */ ('key-value'),
    heads: 2,
    joined: false,
  }),
  queries: () => ({
    query: [corner(2, 4), corner(1, 4)],
    key: kWords.map((_, i) => corner(kKinds[i], 1)),
    queryNames: ['a noun?', 'an adjective?'],
    keyNames: kWords,
    memory: /** @type {const} */ ('one'),
    heads: 1,
    joined: true,
  }),
};

/** @type {import('../presets.js').Preset} */
export const heads = {
  id: 'heads',
  equations: [
    '\\c{C_h} = \\text{attention}(\\q{Q} W_h^q, \\k{K} W_h^k, \\v{V} W_h^v)',
    '\\text{out} = [\\c{C_1}; …; \\c{C_H}] W_o',
  ],
  papers: [papers.vaswani],
  state: () => ({ ...kCases.heads(), scene: { case: 'heads', mix: 'apart' } }),
  scene: (workbench) => {
    // The choice: one query and several heads, or several queries and one head.
    const own = texts.lessons.heads;
    const choice = segmented(
      own.several,
      [
        ['heads', own.heads],
        ['queries', own.queries],
      ],
      (value) =>
        workbench.open({
          ...kCases[/** @type {'heads' | 'queries'} */ (value)](),
          scene: { case: value, mix: 'apart' },
          head: 0,
          pinned: null,
          step: '',
        }),
    );
    const small = make('div.thumbnails');
    const mixing = segmented(own.mixing, Object.entries(own.kinds), (mix) =>
      workbench.change({ scene: { ...workbench.state().scene, mix } }),
    );
    const [mixer, out] = [numbersOf(own.mixer, 'W_o'), numbersOf(own.out, '[C₁; C₂] W_o')];
    const mixed = make(
      'div.mixed',
      {},
      make('div.row', {}, make('span', { 'aria-hidden': 'true' }, ...withSymbols(own.mixing)), mixing.node),
      make('div.row.tops', {}, mixer.node, out.node),
    );
    return {
      node: make('div.picture.stacked', {}, make('div.row', {}, choice.node), small, mixed),
      async show(state, result) {
        choice.set(String(state.scene.case));
        mixed.hidden = state.joined || state.convention === 'columns';
        if (!result) return;
        redraw = () => small.replaceChildren(...thumbnails(workbench, state, result));
        redraw();
        const mix = state.scene.mix === 'mixed' ? 'mixed' : 'apart';
        mixing.set(mix);
        if (!mixed.hidden) await showMixed(mixer, out, state, result, mix);
      },
    };
  },
};

/**
 * A small drawing of each head or query. A click shows it below.
 * @param {Parameters<NonNullable<import('../presets.js').Preset['scene']>>[0]} workbench
 * @param {import('../state.js').State} state @param {import('../compute.js').Result} result
 * @returns {HTMLElement[]}
 */
function thumbnails(workbench, state, result) {
  const drawings = state.joined
    ? state.query.map((_, i) => rowOf(state, result, i))
    : Array.from({ length: sizesOf(state).heads }, (_, h) => headOf(state, result, h));
  return drawings.map(({ svg, name }, h) => {
    const figure = make('button.thumbnail', { type: 'button' }, svg, make('span', {}, name));
    figure.setAttribute('aria-pressed', String(!state.joined && h === state.head));
    figure.addEventListener('click', () =>
      workbench.change(state.joined ? { pinned: { matrix: 'weights', row: h, column: 0 } } : { head: h }),
    );
    return figure;
  });
}

/** A matrix with its name. @param {string} title @param {string} symbol */
function numbersOf(title, symbol) {
  const grid = /** @type {import('../../../view/grid.js').GridElement} */ (document.createElement('qkv-grid'));
  const caption = make('figcaption', {}, make('span.title', {}, title), ' ', ...withSymbols(symbol));
  return {
    node: make('figure.matrix-figure', {}, caption, grid),
    /** @param {string[]} rows @param {ArrayLike<number>} data */
    show(rows, data) {
      const columns = Array.from({ length: data.length / rows.length }, (_, c) => String(c + 1));
      const summary = texts.lessons.heads.rows(title, rows.length, columns.length);
      grid.grid = { name: title, axes: ['row', 'column'], rows, columns, data, kind: 'signed', summary };
    },
  };
}

/**
 * W_o by rows: the identity, or sums of both heads' columns, then their differences.
 * @param {number} size columns of the joined contexts
 * @param {string} mix
 */
function mixerOf(size, mix) {
  const half = size / 2;
  const at = (/** @type {number} */ r, /** @type {number} */ c) =>
    mix === 'apart' || size % 2 > 0
      ? Number(r === c)
      : Number(r % half === c % half) * (r >= half && c >= half ? -1 : 1);
  return Array.from({ length: size }, (_, r) => Array.from({ length: size }, (_, c) => at(r, c)));
}

/**
 * Shows W_o, and the joined contexts times W_o: the engine's products of each context with each column of W_o.
 * @param {ReturnType<typeof numbersOf>} mixer @param {ReturnType<typeof numbersOf>} out
 * @param {import('../state.js').State} state @param {import('../compute.js').Result} result @param {string} mix
 */
async function showMixed(mixer, out, state, result, mix) {
  const size = result.output.data.length / state.query.length;
  const W = mixerOf(size, mix);
  const columns = W.map((_, c) => W.map((row) => row[c]));
  const query = { data: result.output.data, shape: [state.query.length, size] };
  const { scores } = await attention({ query, key: columns, score: 'dot', record: ['scores'] });
  mixer.show(
    W.map((_, r) => String(r + 1)),
    W.flat(),
  );
  out.show(namesOf(state).queries, scores.data);
}

/** @param {import('../state.js').State} state @param {import('../compute.js').Result} result @param {number} h */
function headOf(state, result, h) {
  const { queries, keys } = sizesOf(state);
  const at = (/** @type {number} */ i, /** @type {number} */ j) => result.weights.data[(h * queries + i) * keys + j];
  return {
    svg: drawn(namesOf(state).queries, namesOf(state).keys, at),
    name: texts.lessons.heads.named(h + 1, state.heads === 2 ? texts.lessons.heads.what[h] : ''),
  };
}

/** @param {import('../state.js').State} state @param {import('../compute.js').Result} result @param {number} i */
function rowOf(state, result, i) {
  const { keys } = sizesOf(state);
  const names = namesOf(state);
  return { svg: drawn([''], names.keys, (_, j) => result.weights.data[i * keys + j]), name: names.queries[i] };
}

const kCell = 22;
const kLeft = 46;
const kTop = 42;

/** A small drawing of weights with names. @param {string[]} rows @param {string[]} columns @param {(row: number, column: number) => number} at */
function drawn(rows, columns, at) {
  const scale = weightScale();
  const left = rows.length > 1 ? kLeft : 6;
  const svg = svgMake('svg', {
    width: left + columns.length * kCell + 26,
    height: kTop + rows.length * kCell + 4,
    'aria-hidden': 'true',
  });
  const cells = rows.flatMap((_, i) =>
    columns.map((_, j) =>
      svgMake('rect', {
        x: left + j * kCell,
        y: kTop + i * kCell,
        width: kCell - 1,
        height: kCell - 1,
        fill: scale.css(at(i, j)),
      }),
    ),
  );
  const across = columns.map((name, j) =>
    svgMake('text', { transform: `translate(${left + j * kCell + 10} ${kTop - 5}) rotate(-45)` }, name),
  );
  const down = rows.map((name, i) =>
    svgMake('text', { x: left - 6, y: kTop + i * kCell + 15, 'text-anchor': 'end' }, name),
  );
  svg.append(...cells, ...across, ...down);
  return svg;
}

// The stages from queries, keys and values to contexts. Each is a matrix that the page draws, explains and saves.

import { CellExpressions } from './explain.js';
import { transposed } from './compute.js';
import { keysOf, namesOf, sizesOf, subscript, valuesOf } from './state.js';
import { texts } from './texts.js';

/** @typedef {import('./expression.js').Expression} Expression */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./compute.js').Result} Result */

/**
 * A matrix to show, by rows in both conventions.
 * @typedef {object} Shown
 * @property {string} id
 * @property {string} title
 * @property {string} symbol as in the equation
 * @property {string} role determines its colour
 * @property {string} how how it is computed, as text
 * @property {[string, string]} axes
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {number[]} data
 * @property {'signed' | 'weight' | 'flag'} kind
 * @property {boolean} editable
 * @property {((row: number, column: number) => Expression) | null} explain
 * @property {((row: number, column: number) => boolean)} [isMasked] of weights
 * @property {((row: number, column: number) => boolean)} [isAside] whether a cell belongs to a head that is not in view
 */

/** The inputs, which may be edited. @param {State} state complete @returns {Shown[]} */
export function inputsOf(state) {
  // Queries are always shown. Keys and values may be one matrix, and queries too.
  const names = namesOf(state);
  const sizes = sizesOf(state);
  const same = sizes.queryDim === sizes.keyDim;
  const shown = [
    input(
      'query',
      titleOf(state),
      symbolOf(state),
      'query',
      state.query,
      ['query', same ? 'feature' : 'queryFeature'],
      names.queries,
    ),
  ];
  if (state.memory !== 'self') {
    const isBoth = state.memory === 'one';
    const symbol = isBoth ? '\\k{K} = \\v{V}' : '\\k{K}';
    const title = isBoth ? texts.stages.both : texts.stages.keys;
    shown.push(input('key', title, symbol, 'key', state.key, ['key', same ? 'feature' : 'keyFeature'], names.keys));
  }
  if (state.memory === 'key-value')
    shown.push(input('value', texts.stages.values, '\\v{V}', 'value', state.value, ['key', 'value'], names.keys));
  return shown.map((matrix) => withHeads(matrix, state));
}

/** @param {State} state */
const titleOf = (state) => (state.memory === 'self' ? texts.stages.all : texts.stages.queries);
/** @param {State} state */
const symbolOf = (state) => (state.memory === 'self' ? '\\q{Q} = \\k{K} = \\v{V}' : '\\q{Q}');

/** The parameters of the score, the mask and the window. @param {State} state complete @returns {Shown[]} */
export function parametersOf(state) {
  const names = namesOf(state);
  const shown = Object.entries(state.parameters).map(([name, matrix]) =>
    input(`p.${name}`, texts.stages.parameter, kSymbols[`${state.score}.${name}`] ?? tex(name), '', matrix, [
      `${name}.row`,
      `${name}.column`,
    ]),
  );
  if (state.W_p.length > 0)
    shown.push(input('W_p', texts.stages.window, 'W_p', '', state.W_p, ['W_p.row', 'W_p.column']));
  if (state.v_p.length > 0) shown.push(input('v_p', texts.stages.window, 'v_p', '', state.v_p, ['v_p.row', 'W_p.row']));
  if (state.centres)
    shown.push({
      ...input('centres', texts.stages.places, 'p', '', state.centres, ['', 'query']),
      columns: names.queries,
    });
  const pairs = /** @type {[string, string]} */ (['query', 'key']);
  if (state.allowed)
    shown.push({
      ...input('allowed', texts.stages.mask, 'M', '', state.allowed, pairs, names.queries),
      columns: names.keys,
      kind: 'flag',
    });
  if (state.bias)
    shown.push({
      ...input('bias', texts.stages.bias, 'B', 'score', state.bias, pairs, names.queries),
      columns: names.keys,
    });
  return shown;
}

/** The symbols of parameters whose name in the engine is another one. @type {Record<string, string>} */
const kSymbols = {
  't5.distance': '\\text{max}|j − i|',
  'cosine.temperature': 'τ',
  'alibi.slope': 'm',
  'low-rank.U': 'U_k',
  'low-rank.V': 'U_q',
};

/** @param {string} name of a parameter */
const tex = (name) => name.replace(/_(\w+)/, '_{$1}');

/**
 * @param {string} id
 * @param {string} title
 * @param {string} symbol
 * @param {string} role
 * @param {number[][]} matrix
 * @param {[string, string]} axes
 * @param {string[]} [rows]
 * @returns {Shown}
 */
function input(id, title, symbol, role, matrix, axes, rows = numbers(matrix.length)) {
  const columns = numbers(matrix[0].length);
  return {
    id,
    title,
    symbol,
    role,
    how: '',
    axes,
    rows,
    columns,
    data: matrix.flat(),
    kind: 'signed',
    editable: true,
    explain: null,
  };
}

/** @param {number} count */
const numbers = (count) => Array.from({ length: count }, (_, i) => String(i + 1));

/** Marks the columns of heads that are not in view. @param {Shown} matrix @param {State} state */
function withHeads(matrix, { heads, head }) {
  if (heads === 1) return matrix;
  const width = matrix.columns.length / heads;
  return { ...matrix, isAside: (/** @type {number} */ _, /** @type {number} */ c) => Math.floor(c / width) !== head };
}

/**
 * What the stages of a result have in common.
 * @typedef {object} Head
 * @property {State} state
 * @property {Result} result
 * @property {CellExpressions} expressions of the head in view
 * @property {{queries: string[], keys: string[]}} names
 * @property {(tensor: import('./compute.js').Tensor) => number[]} pairs the part of [H, Q, K] of the head in view
 * @property {(row: number, column: number) => boolean} isMasked whether the query does not see the key
 * @property {(rest: Partial<Shown> & {id: string}) => Shown} stage a matrix of queries by keys, unless `rest` says otherwise
 */

/**
 * The stages of the head in view, from the products to the contexts.
 * @param {State} state complete
 * @param {Result} result
 * @param {number} row the query whose weighted values are shown
 * @returns {Shown[]}
 */
export function stagesOf(state, result, row) {
  const names = namesOf(state);
  const { queries, keys } = sizesOf(state);
  const pairs = (/** @type {import('./compute.js').Tensor} */ tensor) =>
    Array.from({ length: queries * keys }, (_, at) => tensor.data[state.head * queries * keys + at]);
  const logits = pairs(result.logits);
  const head = {
    ...{ state, result, names, pairs },
    expressions: new CellExpressions(state, result, state.head),
    isMasked: (/** @type {number} */ i, /** @type {number} */ j) => logits[i * keys + j] === -Infinity,
    stage: (/** @type {Partial<Shown> & {id: string}} */ rest) =>
      /** @type {Shown} */ ({
        axes: ['query', 'key'],
        rows: names.queries,
        columns: names.keys,
        kind: 'signed',
        role: 'score',
        editable: false,
        ...rest,
      }),
  };
  return [...scoreStages(head), ...weightStages(head), ...weightedStage(head, row), contextStage(head)];
}

/** Products, scores and logits. @param {Head} head @returns {Shown[]} */
function scoreStages({ state, result, expressions, pairs, stage }) {
  const products =
    result.products && state.score !== 'dot'
      ? [
          stage({
            id: 'products',
            title: texts.stages.products,
            symbol: state.convention === 'columns' ? '\\k{K}^⊤ \\q{Q}' : '\\q{Q} \\k{K}^⊤',
            how: texts.stages.eachPair,
            data: pairs(result.products),
            explain: (i, j) => expressions.product(i, j),
          }),
        ]
      : [];
  return [
    ...products,
    stage({
      id: 'scores',
      title:
        state.score === 'dot'
          ? texts.stages.products
          : ['scaled-dot', 'cosine'].includes(state.score)
            ? texts.stages.scale
            : texts.stages.scores,
      symbol: '\\s{S}',
      how: howScored(state),
      data: pairs(result.scores),
      explain: (i, j) => expressions.score(i, j),
    }),
    stage({
      id: 'logits',
      title: texts.stages.logits,
      symbol: '\\s{L}',
      how: howMasked(state),
      data: pairs(result.logits),
      explain: (i, j) => expressions.logit(i, j),
    }),
  ];
}

/** The weights; for the window local-p before and after its Gaussian. @param {Head} head @returns {Shown[]} */
function weightStages({ state, result, expressions, pairs, isMasked, stage }) {
  const selection = texts.selections[/** @type {keyof typeof texts.selections} */ (state.selection)];
  const hasGaussian = state.window === 'local-p';
  const selected = stage({
    id: hasGaussian ? 'selected' : 'weights',
    title: selection.title,
    symbol: hasGaussian ? '\\text{softmax}(\\s{L})' : '\\w{A}',
    role: 'weights',
    how: selection.how,
    kind: 'weight',
    isMasked,
    data: pairs(result.selected),
    explain: (i, j) => expressions.selected(i, j),
  });
  if (!hasGaussian) return [selected];
  const weights = stage({
    id: 'weights',
    title: texts.stages.gaussian,
    symbol: '\\w{A}',
    role: 'weights',
    how: texts.stages.bell,
    kind: 'weight',
    isMasked,
    data: pairs(result.weights),
    explain: (i, j) => expressions.weight(i, j),
  });
  return [selected, weights];
}

/** The values of a query times their weights, if the state has them. @param {Head} head @param {number} row @returns {Shown[]} */
function weightedStage({ state, result, expressions, names, isMasked, stage }, row) {
  const { weighted } = result;
  if (!weighted) return [];
  const { queries, keys, valueDim, heads } = sizesOf(state);
  const width = valueDim / heads;
  const begin = (state.head * queries + row) * keys * width;
  return [
    stage({
      id: 'weighted',
      title: texts.stages.weighted,
      symbol: `\\w{a_{${row + 1}j}} \\v{v_j}`,
      role: 'value',
      how: texts.stages.weightedOf(names.queries[row]),
      axes: ['key', heads > 1 ? 'headValue' : 'value'],
      rows: names.keys,
      columns: numbers(valueDim).slice(state.head * width, (state.head + 1) * width),
      data: Array.from({ length: keys * width }, (_, at) => weighted.data[begin + at]),
      isMasked: (j) => isMasked(row, j),
      explain: (j, c) => expressions.weighted(row, j, c),
    }),
  ];
}

/** The contexts of all heads. @param {Head} head @returns {Shown} */
function contextStage({ state, result, stage }) {
  const { valueDim, heads } = sizesOf(state);
  const width = valueDim / heads;
  const byHead = Array.from({ length: heads }, (_, h) => new CellExpressions(state, result, h));
  const shown = stage({
    id: 'context',
    title: texts.stages.context,
    symbol: '\\c{C}',
    role: 'context',
    how: howSummed(state),
    axes: ['query', 'value'],
    columns: numbers(valueDim),
    data: Array.from(result.output.data),
    explain: (i, c) => byHead[Math.floor(c / width)].context(i, c % width),
  });
  return withHeads(shown, state);
}

/** @param {State} state */
function howScored({ score, query, heads }) {
  const how = /** @type {Record<string, (d: number) => string>} */ (texts.scored)[score] ?? texts.scored.other;
  return how(query[0].length / heads);
}

/** @param {State} state */
function howMasked({ causal, padding, allowed, bias, once, window, halfWidth, sinks, temperature }) {
  const { masked } = texts;
  const rules = [
    ...(bias ? [masked.bias] : []),
    ...(temperature === 1 ? [] : [masked.temperature(temperature)]),
    ...(causal ? [masked.causal] : []),
    ...(padding > 0 ? [masked.padding(padding)] : []),
    ...(allowed ? [masked.byHand] : []),
    ...(once ? [masked.once] : []),
    ...(window === 'global' ? [] : [masked.window(window, halfWidth)]),
    ...(window === 'local-m' && sinks > 0 ? [masked.sinks(sinks)] : []),
  ];
  return rules.length > 0 ? rules.join(', ') : masked.nothing;
}

/** @param {State} state */
function howSummed({ selection, joined, heads }) {
  if (selection === 'max-pool') return texts.summed.pool;
  if (joined) return texts.summed.joined;
  return heads > 1 ? texts.summed.heads : texts.summed.plain;
}

/**
 * A matrix in the state's convention. For columns it is transposed, with its explanation.
 * @param {Shown} matrix
 * @param {State} state
 * @returns {Shown}
 */
export function oriented(matrix, state) {
  const isFixed = /^(p\.|W_p|v_p|centres)/.test(matrix.id);
  if (state.convention === 'rows' || isFixed) return matrix;
  const { explain, isMasked, isAside } = matrix;
  const lines = matrix.rows.map((_, r) =>
    matrix.data.slice(r * matrix.columns.length, (r + 1) * matrix.columns.length),
  );
  return {
    ...matrix,
    axes: [matrix.axes[1], matrix.axes[0]],
    rows: matrix.columns,
    columns: matrix.rows,
    data: transposed(lines).flat(),
    explain: explain && ((r, c) => explain(c, r)),
    isMasked: isMasked && ((r, c) => isMasked(c, r)),
    isAside: isAside && ((r, c) => isAside(c, r)),
  };
}

/** The name of a cell in equations: a₁₂. @param {Shown} matrix @param {number} row @param {number} column */
export function cellName({ id }, row, column) {
  const letters = { products: 'p', scores: 's', logits: 'l', selected: 'a', weights: 'a', weighted: 'w', context: 'c' };
  const letter = /** @type {Record<string, string>} */ (letters)[id] ?? '';
  return letter && `${letter}${subscript(row + 1)}${row > 8 || column > 8 ? ',' : ''}${subscript(column + 1)}`;
}

export { keysOf, valuesOf };

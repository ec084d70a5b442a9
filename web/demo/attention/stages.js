// The stages from queries, keys and values to contexts, as matrices that can be drawn, pointed at, explained and saved.

import { Sums } from './explain.js';
import { turned } from './compute.js';
import { keysOf, namesOf, sizesOf, subscript, valuesOf } from './state.js';
import { texts } from './texts.js';

/** @typedef {import('./expression.js').Expression} Expression */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./compute.js').Result} Result */

/**
 * A matrix by rows, for both conventions.
 * @typedef {object} Shown
 * @property {string} id
 * @property {string} title
 * @property {string} symbol as in the equation
 * @property {string} role determines its colour
 * @property {string} how its computation in words
 * @property {[string, string]} axes
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {number[]} data
 * @property {'signed' | 'weight' | 'flag'} kind
 * @property {boolean} editable
 * @property {((row: number, column: number) => Expression) | null} explain
 * @property {((row: number, column: number) => boolean)} [isMasked] of weights
 * @property {((row: number, column: number) => boolean)} [isAside]
 */

/** The inputs, which may be edited. @param {State} state complete @returns {Shown[]} */
export function inputsOf(state) {
  // Queries are always shown. Keys and values may be the same matrix, or all three.
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

/** Parameters that equations call otherwise than the engine does. @type {Record<string, string>} */
const kSymbols = { 'cosine.temperature': 'τ', 'alibi.slope': 'm', 'low-rank.U': 'U_k', 'low-rank.V': 'U_q' };

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
 * @param {State} state complete
 * @param {Result} result
 * @param {number} row the query whose weighted values are shown
 * @returns {Shown[]}
 */
export function stagesOf(state, result, row) {
  const sums = new Sums(state, result, state.head);
  const names = namesOf(state);
  const { queries, keys, valueDim, heads } = sizesOf(state);
  const pairs = (/** @type {import('./compute.js').Tensor} */ tensor) =>
    Array.from({ length: queries * keys }, (_, at) => tensor.data[state.head * queries * keys + at]);
  const of = (/** @type {Partial<Shown> & {id: string}} */ rest) =>
    /** @type {Shown} */ ({
      axes: ['query', 'key'],
      rows: names.queries,
      columns: names.keys,
      kind: 'signed',
      role: 'score',
      editable: false,
      ...rest,
    });
  // A weight of a key that the query does not see is 0 whatever the numbers are. Max pooling has no query.
  const logits = pairs(result.logits);
  const isMasked = (/** @type {number} */ i, /** @type {number} */ j) => logits[i * keys + j] === -Infinity;
  const selection = texts.selections[/** @type {keyof typeof texts.selections} */ (state.selection)];
  const stages = [];
  if (result.products && state.score !== 'dot')
    stages.push(
      of({
        id: 'products',
        title: texts.stages.products,
        symbol: state.convention === 'columns' ? '\\k{K}^⊤ \\q{Q}' : '\\q{Q} \\k{K}^⊤',
        how: texts.stages.eachPair,
        data: pairs(result.products),
        explain: (i, j) => sums.product(i, j),
      }),
    );
  stages.push(
    of({
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
      explain: (i, j) => sums.score(i, j),
    }),
    of({
      id: 'logits',
      title: texts.stages.logits,
      symbol: '\\s{L}',
      how: howMasked(state),
      data: pairs(result.logits),
      explain: (i, j) => sums.logit(i, j),
    }),
    of({
      id: state.window === 'local-p' ? 'selected' : 'weights',
      title: selection.title,
      symbol: state.window === 'local-p' ? '\\text{softmax}(\\s{L})' : '\\w{A}',
      role: 'weights',
      how: selection.how,
      kind: 'weight',
      isMasked,
      data: pairs(result.selected),
      explain: (i, j) => sums.selected(i, j),
    }),
  );
  if (state.window === 'local-p')
    stages.push(
      of({
        id: 'weights',
        title: texts.stages.gaussian,
        symbol: '\\w{A}',
        role: 'weights',
        how: texts.stages.bell,
        kind: 'weight',
        isMasked,
        data: pairs(result.weights),
        explain: (i, j) => sums.weight(i, j),
      }),
    );
  const width = valueDim / heads;
  const columns = numbers(valueDim).slice(state.head * width, (state.head + 1) * width);
  if (result.weighted) {
    const begin = (state.head * queries + row) * keys * width;
    stages.push(
      of({
        id: 'weighted',
        title: texts.stages.weighted,
        symbol: `\\w{a_{${row + 1}j}} \\v{v_j}`,
        role: 'value',
        how: texts.stages.weightedOf(names.queries[row]),
        axes: ['key', heads > 1 ? 'headValue' : 'value'],
        rows: names.keys,
        columns,
        data: Array.from({ length: keys * width }, (_, at) => /** @type {any} */ (result.weighted).data[begin + at]),
        isMasked: (j) => isMasked(row, j),
        explain: (j, c) => sums.weighted(row, j, c),
      }),
    );
  }
  stages.push(contextOf(state, result, of));
  return stages;
}

/** @param {State} state @param {Result} result @param {(rest: Partial<Shown> & {id: string}) => Shown} of @returns {Shown} */
function contextOf(state, result, of) {
  const { valueDim, heads } = sizesOf(state);
  const width = valueDim / heads;
  const byHead = Array.from({ length: heads }, (_, h) => new Sums(state, result, h));
  const shown = of({
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
 * A matrix in the state's convention: by columns, it is transposed with its explanation.
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
    data: turned(lines).flat(),
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

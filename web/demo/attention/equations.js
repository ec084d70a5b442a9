// The equations of the current choices, for web/view/math.js.

/** @typedef {import('./state.js').State} State */

/** The scores of all queries and keys as a product of matrices, with vectors as rows and as columns. */
const kMatrixScores = {
  dot: ['\\q{Q} \\k{K}^⊤', '\\k{K}^⊤ \\q{Q}'],
  'scaled-dot': ['\\frac{\\q{Q} \\k{K}^⊤}{\\sqrt{d}}', '\\frac{\\k{K}^⊤ \\q{Q}}{\\sqrt{d}}'],
  general: ['\\q{Q} W \\k{K}^⊤', '\\k{K}^⊤ W^⊤ \\q{Q}'],
};

/** The score of query i and key j; q and k are column vectors. @type {Record<string, string>} */
export const scoreEquations = {
  dot: '\\q{q_i}^⊤ \\k{k_j}',
  'scaled-dot': '\\frac{\\q{q_i}^⊤ \\k{k_j}}{\\sqrt{d}}',
  general: '\\q{q_i}^⊤ W \\k{k_j}',
  additive: 'w_v^⊤ \\text{tanh}(W_q \\q{q_i} + W_k \\k{k_j})',
  'low-rank': '(U_k \\k{k_j})^⊤ (U_q \\q{q_i})',
  concat: 'v^⊤ \\text{tanh}(W [\\q{q_i}; \\k{k_j}])',
  location: '(W \\q{q_i})_j',
  gaussian: '−\\frac{1}{2} | w (\\q{q_i} − \\k{k_j}) |^2',
  cosine: '\\frac{\\q{q_i}^⊤ \\k{k_j}}{|\\q{q_i}| |\\k{k_j}| τ}',
  t5: '\\q{q_i}^⊤ \\k{k_j} + b_{j − i}',
  shaw: '\\frac{\\q{q_i}^⊤ (\\k{k_j} + a_{j − i})}{\\sqrt{d}}',
  linear: '\\text{log } φ(\\q{q_i})^⊤ φ(\\k{k_j}), φ(x) = \\text{elu}(x) + 1',
  alibi: '\\frac{\\q{q_i}^⊤ \\k{k_j}}{\\sqrt{d}} − m | i − j |',
};

/** @type {Record<string, string>} */
const kSelected = {
  soft: '\\text{softmax}',
  argmax: '\\text{argmax}',
  sampled: '\\text{sample}',
  gate: '\\text{sigmoid}',
  sparsemax: '\\text{sparsemax}',
  entmax: '\\text{entmax}_α',
};

/** Max pooling: the largest value of each column; with a Gaussian window, times the Gaussian at its key m. @param {State} state */
const pooled = ({ window }) =>
  window === 'local-p'
    ? '\\c{c_{ie}} = g_{im} \\v{v_{me}}, m = \\text{argmax}_j \\v{v_{je}}'
    : '\\c{c_{ie}} = \\text{max}_j \\v{v_{je}}';

/**
 * The lines of the equation of a state, one for each stage.
 * @param {State} state
 * @returns {{id: string, source: string}[]}
 */
export function equationsOf(state) {
  const isTransposed = state.convention === 'columns';
  const matrices = /** @type {Record<string, string[]>} */ (kMatrixScores)[state.score];
  const score = matrices
    ? { id: 'scores', source: `\\s{S} = ${matrices[Number(isTransposed)]}` }
    : { id: 'scores', source: `\\s{s_{${isTransposed ? 'ji' : 'ij'}}} = ${scoreEquations[state.score]}` };
  if (state.selection === 'max-pool') return [score, { id: 'context', source: pooled(state) }];
  const logits = { id: 'logits', source: `\\s{L} = ${logitsOf(state)}` };
  const select = `${kSelected[state.selection]}(\\s{L})`;
  const gaussian = isTransposed ? 'g_{ji}' : 'g_{ij}';
  const weights =
    state.window === 'local-p'
      ? `\\w{A} = ${select} ⊙ G, ${gaussian} = \\text{exp}(−\\frac{(j − p_i)^2}{2 (D / 2)^2})`
      : `\\w{A} = ${select}`;
  return [
    score,
    logits,
    { id: 'weights', source: weights },
    { id: 'context', source: isTransposed ? '\\c{C} = \\v{V} \\w{A}' : '\\c{C} = \\w{A} \\v{V}' },
  ];
}

/** @param {State} state */
function logitsOf(state) {
  const sum = state.bias ? '\\s{S} + B' : '\\s{S}';
  const tempered = state.temperature === 1 ? sum : `\\frac{${sum}}{T}`;
  const isMasked = state.causal || state.padding > 0 || state.allowed || state.once || state.window !== 'global';
  return isMasked ? `\\text{mask}(${tempered})` : tempered;
}

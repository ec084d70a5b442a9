// The controls of the choices: score, selection, window, mask, memory, heads, sizes, random numbers.

import { button, checkbox, make, segmented, slider } from '../shared/dom.js';
import { keysOf, kMost, resized, sizesOf, valuesOf } from './state.js';
import { randomMatrix } from './random.js';
import { texts } from './texts.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {(change: (state: State) => Partial<State>) => void} Change */
/** @typedef {(node: Node, show: (state: State) => void) => void} Add adds a control, and how it shows a state */

/** @type {[string, string][]} */
const kWindows = [
  ['global', 'global'],
  ['local-m', 'local-m'],
  ['local-p', 'local-p'],
];

/**
 * The first values of optional parameters, so that they are visible and can be changed. With several heads they are left out:
 * then the engine has a default for each head.
 * @type {Record<string, Record<string, import('./state.js').Matrix>>}
 */
const kOptional = {
  gaussian: { w: [[1]] },
  cosine: { temperature: [[1]] },
  alibi: { slope: [[0.5]] },
  t5: { distance: [[4]] },
};

/**
 * Adds the controls of all choices.
 * @param {HTMLElement} host
 * @param {import('../../lib/attention/index.js').ScoreInfo[]} scores
 * @param {Change} change
 * @returns {(state: State) => void} shows a state
 */
export function bindControls(host, scores, change) {
  /** @type {((state: State) => void)[]} */
  const shows = [];
  const add = (/** @type {Node} */ node, /** @type {(state: State) => void} */ show) => {
    host.append(node);
    shows.push(show);
  };
  scoreControl(add, change, scores);
  selectionControls(add, change);
  windowControls(add, change);
  maskControls(add, change);
  memoryControls(add, change);
  sizeControls(add, change);
  randomControls(add, change);
  return (state) => shows.forEach((show) => show(state));
}

/** @param {Add} add @param {Change} change @param {import('../../lib/attention/index.js').ScoreInfo[]} scores */
function scoreControl(add, change, scores) {
  const score = choice(
    'score',
    texts.controls.score,
    scores.map(({ name }) => [name, name]),
    (value) => change(({ heads }) => ({ score: value, parameters: heads === 1 ? (kOptional[value] ?? {}) : {} })),
  );
  const source = make('small.source');
  add(score.node, (state) => {
    score.set(state.score);
    source.textContent = scores.find(({ name }) => name === state.score)?.source ?? '';
  });
  score.node.append(source);
}

/** The selection, its temperature, and what only some selections have. @param {Add} add @param {Change} change */
function selectionControls(add, change) {
  const named = Object.keys(texts.selections).map((value) => [value, value]);
  const selection = choice('selection', texts.controls.selection, /** @type {[string, string][]} */ (named), (value) =>
    change(() => ({ selection: value })),
  );
  add(selection.node, (state) => selection.set(state.selection));
  const temperature = slider(texts.controls.temperature, { min: 0.1, max: 5, step: 0.1 }, (value) =>
    change(() => ({ temperature: value })),
  );
  add(temperature.node, (state) => {
    temperature.node.hidden = state.score === 'cosine' && state.temperature === 1; // its τ is the same
    temperature.set(state.temperature);
  });
  const alpha = slider('α', { min: 1, max: 3, step: 0.05 }, (value) => change(() => ({ alpha: value })));
  add(alpha.node, (state) => {
    alpha.node.hidden = state.selection !== 'entmax';
    alpha.set(state.alpha);
  });
  const draw = button(texts.controls.draw, () => change((state) => ({ seed: state.seed + 1 })));
  add(draw, (state) => (draw.hidden = state.selection !== 'sampled'));
}

/** The window, and what only some windows have. @param {Add} add @param {Change} change */
function windowControls(add, change) {
  const window = choice('window', texts.controls.window, kWindows, (value) =>
    change((state) => ({ window: value, halfWidth: Math.max(1, state.halfWidth) })),
  );
  add(window.node, (state) => window.set(state.window));
  const half = slider(texts.controls.half, { min: 0.5, max: 7, step: 0.5 }, (value) =>
    change(() => ({ halfWidth: value })),
  );
  add(half.node, (state) => {
    half.node.hidden = state.window === 'global';
    half.set(state.halfWidth);
  });
  const sinks = stepper(texts.controls.sinks, (by) =>
    change((state) => ({ sinks: Math.max(0, Math.min(sizesOf(state).keys, 8, state.sinks + by)) })),
  );
  add(sinks.node, (state) => {
    sinks.node.hidden = state.window !== 'local-m';
    sinks.set(state.sinks);
  });
  const given = checkbox(texts.controls.centres, (on) => change(() => ({ centres: on ? [[]] : null })));
  add(given.node, (state) => {
    given.node.hidden = state.window !== 'local-p';
    given.set(state.centres !== null);
  });
}

/** @param {Add} add @param {Change} change */
function maskControls(add, change) {
  const causal = checkbox(texts.controls.causal, (on) => change(() => ({ causal: on })));
  const hand = checkbox(texts.controls.byHand, (on) => change(() => ({ allowed: on ? [[]] : null })));
  const bias = checkbox(texts.controls.bias, (on) => change(() => ({ bias: on ? [[]] : null })));
  const once = checkbox(texts.controls.once, (on) => change(() => ({ once: on })));
  const nodes = [causal, hand, bias, once].map(({ node }) => node);
  const group = make('fieldset.field.flags', {}, make('legend', {}, texts.controls.mask), make('div', {}, ...nodes));
  add(group, (state) => {
    causal.set(state.causal);
    hand.set(state.allowed !== null);
    bias.set(state.bias !== null);
    once.set(state.once);
  });
  const padding = stepper(texts.controls.padding, (by) =>
    change((state) => ({ padding: Math.max(0, Math.min(sizesOf(state).keys, state.padding + by)) })),
  );
  add(padding.node, (state) => padding.set(state.padding));
}

/** The memory, the number of heads, and whether vectors are rows or columns. @param {Add} add @param {Change} change */
function memoryControls(add, change) {
  const memories = /** @type {[string, string][]} */ (Object.entries(texts.controls.memories));
  const memory = choice('memory', texts.controls.memory, memories, (value) =>
    change((state) => withMemory(state, value)),
  );
  add(memory.node, (state) => memory.set(state.memory));
  const heads = segmented(
    texts.controls.heads,
    [
      ['1', '1'],
      ['2', '2'],
      ['4', '4'],
    ],
    (value) => change((state) => withHeads(state, Number(value))),
  );
  add(make('div.field', {}, make('span', { 'aria-hidden': 'true' }, texts.controls.heads), heads.node), (state) =>
    heads.set(String(state.heads)),
  );
  const convention = segmented(
    texts.controls.vector,
    [
      ['rows', texts.controls.row],
      ['columns', texts.controls.column],
    ],
    (value) => change(() => ({ convention: /** @type {any} */ (value) })),
  );
  add(make('div.field', {}, make('span', { 'aria-hidden': 'true' }, texts.controls.vector), convention.node), (state) =>
    convention.set(state.convention),
  );
}

/** @param {Add} add @param {Change} change */
function sizeControls(add, change) {
  /** @type {[string, (state: State) => number, (state: State, count: number) => Partial<State>, (state: State) => boolean, number][]} */
  const sizes = [
    [texts.controls.queries, (state) => state.query.length, withQueries, () => true, kMost.queries],
    [texts.controls.keys, (state) => keysOf(state).length, withKeys, (state) => state.memory !== 'self', kMost.keys],
    [texts.controls.querySize, (state) => state.query[0].length, withQueryDim, () => true, kMost.dims],
    [
      texts.controls.keySize,
      (state) => keysOf(state)[0].length,
      withKeyDim,
      (state) => state.memory !== 'self',
      kMost.dims,
    ],
    [
      texts.controls.valueSize,
      (state) => valuesOf(state)[0].length,
      withValueDim,
      (state) => state.memory === 'key-value',
      kMost.dims,
    ],
  ];
  for (const [name, count, resize, isThere, most] of sizes) {
    const made = stepper(name, (by) =>
      change((state) => resize(state, Math.max(1, Math.min(Math.max(most, count(state)), count(state) + by)))),
    );
    add(made.node, (state) => {
      made.node.hidden = !isThere(state);
      made.set(count(state));
    });
  }
}

/** New random numbers, by the next seed or by a typed one. @param {Add} add @param {Change} change */
function randomControls(add, change) {
  const seed = make('input', {
    type: 'number',
    min: 1,
    max: 9999,
    name: 'random seed',
    'aria-label': texts.controls.seed,
  });
  seed.addEventListener('change', () => {
    const wanted = Math.max(1, Math.min(9999, Math.round(Number(seed.value)) || 1));
    change((state) => withRandomNumbers(state, wanted));
  });
  const again = button(texts.controls.makeUp, () => change((state) => withRandomNumbers(state, state.random + 1)));
  add(make('div.field.made-up', {}, again, seed), (state) => {
    seed.value = String(state.random);
  });
}

/** @param {State} state @param {number} count */
const withQueries = (state, count) => ({
  query: resized(state.query, count, state.query[0].length, state.random + 11),
});

/** @param {State} state @param {number} count */
const withKeys = (state, count) => ({
  key: resized(state.key, count, state.key[0].length, state.random + 12),
  value: resized(state.value, count, state.value[0].length, state.random + 13),
});

/** @param {State} state @param {number} d */
const withQueryDim = (state, d) => ({ query: resized(state.query, state.query.length, d, state.random + 11) });
/** @param {State} state @param {number} d */
const withKeyDim = (state, d) => ({ key: resized(state.key, state.key.length, d, state.random + 12) });
/** @param {State} state @param {number} d */
const withValueDim = (state, d) => ({ value: resized(state.value, state.value.length, d, state.random + 13) });

/** Another memory, whose results are not joined. @param {State} state @param {string} memory */
function withMemory(state, memory) {
  return { memory: /** @type {State['memory']} */ (memory), joined: false };
}

/** Makes sizes multiples of the number of heads. @param {State} state @param {number} heads */
function withHeads(state, heads) {
  const up = (/** @type {number[][]} */ matrix, /** @type {number} */ seed) =>
    resized(matrix, matrix.length, Math.ceil(matrix[0].length / heads) * heads, seed);
  return {
    heads,
    joined: false,
    query: up(state.query, state.random + 11),
    key: up(state.key, state.random + 12),
    value: up(state.value, state.random + 13),
  };
}

/** Random numbers of the same sizes. @param {State} state @param {number} seed @returns {Partial<State>} */
function withRandomNumbers(state, seed) {
  const anew = (/** @type {number[][]} */ matrix, /** @type {number} */ own) =>
    randomMatrix(100 * seed + own, matrix.length, matrix[0].length);
  const omitted = ['temperature', 'slope', 'distance']; // these return to their defaults
  const parameters = Object.entries(state.parameters)
    .map(([name, matrix], i) => /** @type {const} */ ([name, anew(matrix, 4 + i)]))
    .filter(([name]) => !omitted.includes(name));
  return {
    random: seed,
    query: anew(state.query, 1),
    key: anew(state.key, 2),
    value: anew(state.value, 3),
    parameters: Object.fromEntries(parameters),
  };
}

/**
 * @param {string} name of the field
 * @param {string} label
 * @param {[string, string][]} choices
 * @param {(value: string) => void} changed
 */
function choice(name, label, choices, changed) {
  const options = choices.map(([value, title]) => make('option', { value }, title));
  const select = make('select', { name }, ...options);
  select.addEventListener('change', () => changed(select.value));
  const set = (/** @type {string} */ value) => (select.value = value);
  return { node: make('label.field', {}, make('span', {}, label), select), set };
}

/** @param {string} name @param {(by: number) => void} changed */
function stepper(name, changed) {
  const count = make('output', { 'aria-live': 'polite' });
  const less = button('−', () => changed(-1));
  const more = button('+', () => changed(1));
  less.setAttribute('aria-label', texts.controls.less(name));
  more.setAttribute('aria-label', texts.controls.more(name));
  const node = make(
    'div.field.stepper',
    { role: 'group', 'aria-label': name },
    make('span', {}, name),
    less,
    count,
    more,
  );
  return { node, set: (/** @type {number} */ value) => (count.textContent = String(value)) };
}

// Reads and writes the state in the address. It has the differences from the preset, in a short and readable form.

import { firstState } from './state.js';

/** @typedef {import('./state.js').State} State */

/** @param {State} state */
const placeOf = ({ pinned }) => (pinned ? [pinned.matrix, pinned.row, pinned.column].join('*') : 'none');

// The fields of a state, by their types.
const kMatrices = ['query', 'key', 'value', 'centres', 'W_p', 'v_p', 'allowed', 'bias'];
/** The largest value of each number. */
const kNumbers = {
  heads: 8,
  temperature: 1000,
  alpha: 3,
  sinks: 8,
  seed: 2 ** 32,
  halfWidth: 99,
  padding: 99,
  random: 2 ** 32,
  head: 7,
};
/** The least value of a number, if it is not 0. @type {Record<string, number>} */
const kLeast = { temperature: 1e-30, alpha: 1 };
const kWords = ['memory', 'score', 'selection', 'window', 'convention', 'step'];
const kFlags = ['joined', 'causal', 'once'];
const kLists = ['queryNames', 'keyNames'];
export const kLongest = 20_000;
const kMostSide = 64;
const kMostNumbers = 2048;

/**
 * Reads a state. Malformed parts of the address are ignored.
 * @param {string} hash
 * @param {(preset: string) => State | null} stateOf the first state of a preset
 * @returns {State}
 */
export function readLink(hash, stateOf) {
  // The preset's first state, which the other parameters change.
  const params = new URLSearchParams(hash.length <= kLongest ? hash.replace(/^#/, '') : '');
  const state = stateOf(params.get('preset') ?? '') ?? stateOf('playground') ?? firstState();
  const fields = /** @type {Record<string, any>} */ (state);
  // Matrices and numbers.
  for (const name of kMatrices) {
    const text = params.get(name);
    const matrix = text === null ? null : readMatrix(text);
    if (matrix) fields[name] = matrix;
    else if (text === 'none' && ['centres', 'allowed', 'bias'].includes(name)) fields[name] = null;
  }
  for (const [name, most] of Object.entries(kNumbers)) {
    const value = Number(params.get(name) ?? NaN);
    const isInRange = params.get(name) !== '' && value >= 0 && value <= most && value >= (kLeast[name] ?? 0);
    if (isInRange && (Number.isInteger(value) || ['temperature', 'alpha', 'halfWidth'].includes(name)))
      fields[name] = value;
  }
  if (state.heads < 1) state.heads = 1;
  // Words, flags and lists of names.
  for (const name of kWords) {
    const word = params.get(name);
    if (word !== null && kAllowed[name].includes(word)) fields[name] = word;
  }
  for (const name of kFlags) if (params.has(name)) fields[name] = params.get(name) === '1';
  for (const name of kLists)
    if (params.has(name)) fields[name] = (params.get(name) ?? '').split('|').slice(0, kMostSide);
  // The parameters of the score, as p.W; the state of the picture, as s.d.
  const parameters = [...params].filter(([name]) => /^p\.\w{1,16}$/.test(name));
  const read = parameters.map(([name, text]) => [name.slice(2), readMatrix(text)]).filter(([, matrix]) => matrix);
  if (read.length > 0) state.parameters = { ...state.parameters, ...Object.fromEntries(read) };
  const scene = [...params].filter(([name]) => /^s\.\w{1,16}$/.test(name));
  for (const [name, text] of scene) {
    const had = state.scene[name.slice(2)];
    if (typeof had === 'number' && text !== '' && Number.isFinite(Number(text)))
      state.scene[name.slice(2)] = Number(text);
    else if (typeof had === 'string') state.scene[name.slice(2)] = text.slice(0, 200);
  }
  // The pinned cell.
  const at = /^([\w.]{1,20})\*(\d{1,2})\*(\d{1,2})$/.exec(params.get('at') ?? '');
  if (params.get('at') === 'none') state.pinned = null;
  if (at) state.pinned = { matrix: at[1], row: Number(at[2]), column: Number(at[3]) };
  return isPossible(state) ? state : (stateOf(state.preset) ?? firstState());
}

/** The allowed values of words. @type {Record<string, string[]>} */
export const kAllowed = {
  memory: ['key-value', 'one', 'self'],
  score: [
    'additive',
    'dot',
    'scaled-dot',
    'general',
    'low-rank',
    'concat',
    'location',
    'gaussian',
    'cosine',
    'alibi',
    't5',
    'shaw',
    'linear',
  ],
  selection: ['soft', 'argmax', 'sampled', 'gate', 'max-pool', 'sparsemax', 'entmax'],
  window: ['global', 'local-m', 'local-p'],
  convention: ['rows', 'columns'],
  step: ['', 'products', 'scores', 'logits', 'selected', 'weights', 'weighted', 'context'],
};

/** Whether there is a value for each key. @param {State} state */
function isPossible({ key, value, memory }) {
  return memory !== 'key-value' || key.length === value.length;
}

/** @param {string} text rows between '*', numbers between '_' @returns {number[][] | null} */
function readMatrix(text) {
  const rows = text
    .split('*')
    .map((row) => row.split('_').map((x) => (x === 'hide' ? -Infinity : x === '' ? NaN : Number(x))));
  const columns = rows[0].length;
  const isValid =
    rows.length <= kMostSide &&
    columns <= kMostSide &&
    rows.length * columns <= kMostNumbers &&
    rows.every(
      (row) =>
        row.length === columns && row.every((x) => x === -Infinity || (Number.isFinite(x) && Math.abs(x) <= 1e4)),
    );
  return isValid ? rows : null;
}

/** @param {number[][]} matrix */
const writeMatrix = (matrix) =>
  matrix.map((row) => row.map((x) => (x === -Infinity ? 'hide' : String(x))).join('_')).join('*');

/**
 * @param {State} state
 * @param {State} own the first state of its preset
 * @returns {string} '#…', or '' for the first state of the first preset
 */
export function writeLink(state, own) {
  const params = new URLSearchParams();
  if (state.preset !== 'playground') params.set('preset', state.preset);
  const [now, before] = [/** @type {Record<string, any>} */ (state), /** @type {Record<string, any>} */ (own)];
  const put = (/** @type {string} */ name, /** @type {string} */ is, /** @type {string} */ was) => {
    if (is !== was) params.set(name, is);
  };
  for (const name of kMatrices) {
    const text = (/** @type {number[][] | null} */ matrix) =>
      matrix && matrix.length > 0 ? writeMatrix(matrix) : 'none';
    put(name, text(now[name]), text(before[name]));
  }
  for (const name of [...Object.keys(kNumbers), ...kWords]) put(name, String(now[name]), String(before[name]));
  for (const name of kFlags) put(name, now[name] ? '1' : '0', before[name] ? '1' : '0');
  for (const name of kLists) put(name, now[name].join('|'), before[name].join('|'));
  for (const [name, matrix] of Object.entries(state.parameters)) {
    const had = own.parameters[name];
    put(`p.${name}`, writeMatrix(matrix), had ? writeMatrix(had) : '');
  }
  for (const [name, value] of Object.entries(state.scene)) put(`s.${name}`, String(value), String(own.scene[name]));
  put('at', placeOf(state), placeOf(own));
  const hash = params.toString();
  return hash && `#${hash}`;
}

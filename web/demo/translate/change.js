// Changes to the attention of a translation: what one is, its words, its place in an address, and how the engine takes it.

/** @typedef {import('../../lib/index.js').Trace} Trace */
/** @typedef {'encoder' | 'decoder' | 'cross'} Attention */
/** @typedef {{attention: Attention, layer: number, head: number}} Place of a head */

/**
 * One change, counted from 0. `hide` has `keys`, and `queries` if it is not for all rows. `set` has one query, and a weight
 * for each of its keys; the other keys of the row share the rest as they did before.
 * @typedef {Place & {kind: 'off' | 'uniform' | 'hide' | 'set', queries?: number[], keys: number[], weights?: number[]}} Change
 */

export const kMostChanges = 64;
const kMostPlaces = 1000;

/** @param {Place} a @param {Place | null} b */
export const isAt = (a, b) => !!b && a.attention === b.attention && a.layer === b.layer && a.head === b.head;

/** @param {number} a @param {number} b */
export const range = (a, b) => Array.from({ length: Math.abs(a - b) + 1 }, (_, i) => Math.min(a, b) + i);

/** People count from 1. @param {Change} change */
export function inWords({ kind, attention, layer, head, queries, keys, weights = [] }) {
  const count = (/** @type {string} */ name, /** @type {number[]} */ places) =>
    places.length === 1 ? `${name} ${places[0] + 1}` : `${name}s ${places[0] + 1} to ${places[places.length - 1] + 1}`;
  const given = keys.map((key, i) => `${(weights[i] ?? 0).toFixed(2)} to column ${key + 1}`).join(' and ');
  const what = {
    off: 'is off',
    uniform: 'looks at all alike',
    hide: keys.length > 0 ? `does not see ${count('column', keys)}` : '',
    set: `gives ${given}`,
  }[kind];
  const where = queries ? ` in ${count('row', queries)}` : '';
  return `${attention} layer ${layer + 1}, head ${head + 1} ${what}${where}`;
}

/** The weights of a head's query in a trace; null: it has no such row. @param {Trace} trace @param {Place} place @param {number} query */
function rowOf(trace, { attention, layer, head }, query) {
  const found = { encoder: trace.encoderSelf, decoder: trace.decoderSelf, cross: trace.cross }[attention];
  if (!found) return null;
  const [layers, heads, rows, columns] = found.shape;
  if (layer >= layers || head >= heads || query >= rows) return null;
  const at = ((layer * heads + head) * rows + query) * columns;
  const seen = attention === 'decoder' ? query + 1 : columns; // what comes later is masked
  return found.data.subarray(at, at + seen);
}

/**
 * A row in which some keys have the weights that were set. The others share the rest in their proportions, or equally if
 * all of them were 0. It sums to 1.
 * @param {ArrayLike<number>} row
 * @param {number[]} keys
 * @param {number[]} weights
 */
export function rowWith(row, keys, weights) {
  const given = new Map(keys.map((key, i) => [key, weights[i]]));
  const others = Array.from(row, (weight, key) => (given.has(key) ? 0 : weight));
  const sum = others.reduce((a, b) => a + b, 0);
  const left = 1 - weights.reduce((a, b) => a + b, 0);
  const count = others.length - keys.length;
  return others.map((weight, key) => given.get(key) ?? (sum > 0 ? (weight / sum) * left : left / count));
}

/** The weight of a cell after the changes that set one; null: the head has no such cell, or it must be 1. @param {Change[]} changes @param {Trace} trace @param {Place} place @param {number} query @param {number} key */
export function weightOf(changes, trace, place, query, key) {
  const row = rowOf(trace, place, query);
  if (!row || row.length < 2 || key >= row.length) return null;
  const own = changes.find((change) => isSetOf(change, place, query));
  return own ? rowWith(row, own.keys, own.weights ?? [])[key] : row[key];
}

/** @param {Change} change @param {Place} place @param {number} query */
const isSetOf = (change, place, query) => change.kind === 'set' && isAt(change, place) && change.queries?.[0] === query;

/** The changes with another weight of a cell: in hundredths, and no more than the row's other cells that were set leave. @param {Change[]} changes @param {Place} place @param {number} query @param {number} key @param {number} weight @returns {Change[]} */
export function withWeight(changes, place, query, key, weight) {
  const own = changes.find((change) => isSetOf(change, place, query));
  const set = new Map(own?.keys.map((one, i) => [one, own.weights?.[i] ?? 0]));
  set.delete(key);
  const left = 1 - [...set.values()].reduce((a, b) => a + b, 0);
  set.set(key, Math.round(100 * Math.min(Math.max(weight, 0), left)) / 100);
  /** @type {Change} */
  const made = { kind: 'set', ...place, queries: [query], keys: [...set.keys()], weights: [...set.values()] };
  return own ? changes.map((change) => (change === own ? made : change)) : [...changes, made];
}

/**
 * Changes as the engine takes them. What a sentence has no place for is left out.
 * @param {Change[]} changes
 * @param {Trace} trace of the translation without changes
 * @returns {import('../../lib/api/interventions.js').Intervention[]}
 */
export function interventionsOf(changes, trace) {
  return changes.flatMap(({ keys, weights, ...change }) => {
    const where = /** @type {any} */ (change);
    if (change.kind !== 'set') return [keys.length > 0 ? { ...where, keys } : where];
    const row = rowOf(trace, change, change.queries?.[0] ?? 0);
    if (!row || keys.some((key) => key >= row.length) || row.length <= keys.length) return [];
    return [{ ...where, keys: range(0, row.length - 1), weights: rowWith(row, keys, weights ?? []) }];
  });
}

const kKinds = ['off', 'uniform', 'hide', 'set'];
const kAttentions = ['encoder', 'decoder', 'cross'];

/**
 * Changes in an address, joined by '*': off.cross.2.1, hide.cross.2.1.3-4.2 (rows, then columns), set.cross.2.1.3.5_75-6_10
 * (a row, then columns with their weights in hundredths). Malformed ones are ignored.
 * @param {string | null} text
 * @returns {Change[]}
 */
export function readChanges(text) {
  return (text ?? '')
    .split('*')
    .slice(0, kMostChanges)
    .flatMap((text) => readChange(text) ?? []);
}

/** @param {string} text @returns {Change | null} */
function readChange(text) {
  const [kind, attention, layer, head, rows, columns, more] = text.split('.');
  const numbers = [layer, head].map(place);
  const hasCells = kind === 'hide' || kind === 'set';
  if (!kKinds.includes(kind) || !kAttentions.includes(attention) || numbers.includes(-1)) return null;
  if (more !== undefined || hasCells !== (columns !== undefined) || (!hasCells && rows !== undefined)) return null;
  const head_ = /** @type {any} */ ({ kind, attention, layer: numbers[0], head: numbers[1] });
  if (!hasCells) return { ...head_, keys: [] };
  const queries = rows === '' ? undefined : span(rows);
  if (queries?.length === 0) return null;
  if (kind === 'set') return queries?.length === 1 ? readSet({ ...head_, queries }, columns) : null;
  const keys = span(columns);
  return keys.length > 0 ? { ...head_, ...(queries && { queries }), keys } : null;
}

/** @param {Change} change @param {string} columns with their weights */
function readSet(change, columns) {
  const cells = columns.split('-').map((cell) => cell.split('_'));
  const keys = cells.map(([column]) => place(column));
  const weights = cells.map(([, hundredths]) => (/^\d{1,3}$/.test(hundredths ?? '') ? Number(hundredths) / 100 : NaN));
  const isSound = !keys.includes(-1) && new Set(keys).size === keys.length && keys.length <= kMostPlaces;
  return isSound && weights.reduce((a, b) => a + b, 0) <= 1.001 ? { ...change, keys, weights } : null;
}

/** A number that counts from 1. @param {string} text @returns {number} from 0; -1: it is none */
const place = (text) => (/^[1-9]\d{0,3}$/.test(text ?? '') ? Number(text) - 1 : -1);

/** "3" or "3-5". @param {string} text @returns {number[]} empty: it makes no sense */
function span(text) {
  const [from, to = from, more] = text.split('-').map(place);
  const isSound = from >= 0 && to >= 0 && more === undefined && Math.abs(to - from) < kMostPlaces;
  return isSound ? range(from, to) : [];
}

/** @param {Change[]} changes */
export const writeChanges = (changes) => changes.map(writeChange).join('*');

/** @param {Change} change */
function writeChange({ kind, attention, layer, head, queries, keys, weights = [] }) {
  const text = (/** @type {number[]} */ places) =>
    [...new Set([places[0], places[places.length - 1]])].map((at) => at + 1).join('-');
  const cells = keys.map((key, i) => `${key + 1}_${Math.round(100 * weights[i])}`).join('-');
  const columns = kind === 'set' ? cells : text(keys);
  const where = [kind, attention, layer + 1, head + 1];
  return [...where, ...(keys.length > 0 ? [queries ? text(queries) : '', columns] : [])].join('.');
}

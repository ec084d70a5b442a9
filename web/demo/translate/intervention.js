// Changes to the attention of a translation: their fields, their text, their form in an address, and their form for the engine.

/** @typedef {import('../../lib/index.js').Trace} Trace */
/** @typedef {'encoder' | 'decoder' | 'cross'} Attention */
/** @typedef {{attention: Attention, layer: number, head: number}} Place of a head */

/**
 * One change, as docs/interventions.md describes it, with indices from 0. A missing attention, layer, head or query means
 * each one. No keys means all keys. `set` differs: it has an attention, a layer, a head, one query, and a weight for each of
 * its keys. The other keys of the row share the rest in their earlier proportions. `value` is one number.
 * @typedef {Partial<Place> & {kind: string, queries?: number[], keys: number[], weights?: number[], value?: number, block?: string,
 *   side?: string}} Change
 */

export const kMostChanges = 64;
const kMostPlaces = 1000;

/** @param {Partial<Place>} a @param {Place | null} b */
export const isAt = (a, b) => !!b && a.attention === b.attention && a.layer === b.layer && a.head === b.head;

/** Whether a change switches a whole head off or makes it uniform. @param {Change} change */
export const isWhole = ({ kind, queries, keys }) =>
  (kind === 'off' || kind === 'uniform') && !queries && keys.length === 0;

/** @param {number} a @param {number} b */
export const range = (a, b) => Array.from({ length: Math.abs(a - b) + 1 }, (_, i) => Math.min(a, b) + i);

/** A change as text, which counts from 1. @param {Change} change */
export function textOf(change) {
  const { kind, queries, keys, weights = [], value = 0 } = change;
  if (change.block) return blockText(change);
  const count = (/** @type {string} */ name, /** @type {number[]} */ places) =>
    places.length === 1 ? `${name} ${places[0] + 1}` : `${name}s ${places[0] + 1} to ${places[places.length - 1] + 1}`;
  const columns = keys.length > 0 ? count('column', keys) : '';
  const given = keys.map((key, i) => `${(weights[i] ?? 0).toFixed(2)} to column ${key + 1}`).join(' and ');
  const what = {
    off: columns ? `passes on nothing of ${columns}` : 'is off',
    uniform: `gives equal weights to ${columns || 'all columns'}`,
    hide: `does not see ${columns}`,
    add: `has ${value.toFixed(2)} added to its scores${columns && ` of ${columns}`}`,
    set: `gives ${given}`,
    temperature: `has its scores divided by ${value.toFixed(2)}`,
  }[kind];
  return `${placeText(change)} ${what}${queries ? ` in ${count('row', queries)}` : ''}`;
}

/** @param {Change} change */
function placeText({ attention, layer, head }) {
  const layers = layer === undefined ? (head === undefined ? '' : ' of all layers') : ` layer ${layer + 1}`;
  return `${attention ?? 'all attention'}${layers}, ${head === undefined ? 'each head' : `head ${head + 1}`}`;
}

/** @param {Change} change */
function blockText({ block, side, layer }) {
  const of = `${side ? `${side} ` : ''}${layer === undefined ? 'layers, each' : `layer ${layer + 1}`}`;
  return block === 'layer' ? `${of} is off` : `${of} has no feed-forward block`;
}

/** The weights of a head's query in a trace; null: it has no such row. @param {Trace} trace @param {Partial<Place>} place @param {number} query */
function rowOf(trace, { attention, layer = 0, head = 0 }, query) {
  const found = attention && { encoder: trace.encoderSelf, decoder: trace.decoderSelf, cross: trace.cross }[attention];
  if (!found) return null;
  const [layers, heads, rows, columns] = found.shape;
  if (layer >= layers || head >= heads || query >= rows) return null;
  const at = ((layer * heads + head) * rows + query) * columns;
  const seen = attention === 'decoder' ? query + 1 : columns; // later keys are masked
  return found.data.subarray(at, at + seen);
}

/**
 * A row with given weights for some keys. The other keys share the rest in their earlier proportions, or equally if all of
 * them were 0. The row sums to 1.
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

/** The weight of a cell after the changes that set weights; null: the head has no such cell, or it is the only cell of its row. @param {Change[]} changes @param {Trace} trace @param {Place} place @param {number} query @param {number} key */
export function weightOf(changes, trace, place, query, key) {
  const row = rowOf(trace, place, query);
  if (!row || row.length < 2 || key >= row.length) return null;
  const own = changes.find((change) => isSetOf(change, place, query));
  return own ? rowWith(row, own.keys, own.weights ?? [])[key] : row[key];
}

/** @param {Change} change @param {Place} place @param {number} query */
const isSetOf = (change, place, query) => change.kind === 'set' && isAt(change, place) && change.queries?.[0] === query;

/** The changes with another weight of a cell. The weight is rounded to hundredths; the weights set in a row sum to at most 1. @param {Change[]} changes @param {Place} place @param {number} query @param {number} key @param {number} weight @returns {Change[]} */
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
 * Changes in the form for the engine. Changes at places that a sentence does not have are left out.
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

const kKinds = ['off', 'uniform', 'hide', 'add', 'set', 'temperature'];
const kAttentions = ['encoder', 'decoder', 'cross'];
const kBlocks = ['feedForward', 'layer'];
const kSides = ['encoder', 'decoder'];

/**
 * Reads the changes in an address, which are joined by '*'. A change has parts between dots: its kind, attention, layer, head,
 * rows, columns and number. They count from 1. A part that is empty, or missing at the end, means each one. Examples:
 * off.cross.2.1, uniform.cross, hide.cross.2.1.3-4.2; with a number in hundredths add.cross.2.1..3.-150 and
 * temperature.cross.....200; with a weight in hundredths for each column set.cross.2.1.3.5_75-6_10; for blocks
 * off.feedForward.encoder.1 and off.layer.decoder.2. Malformed changes are left out.
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
  const [kind, name = '', ...rest] = text.split('.');
  if (kBlocks.includes(name)) return kind === 'off' ? readBlock(name, rest) : null;
  const [layer = '', head = '', rows = '', columns = '', number = '', ...more] = rest;
  const where = given({
    attention: read(name, oneOf(kAttentions)),
    ...{ layer: read(layer, place), head: read(head, place), queries: read(rows, span) },
  });
  if (!kKinds.includes(kind) || more.length > 0 || where === null) return null;
  if (kind === 'set') return number === '' ? readSet({ kind, ...where, keys: [] }, columns) : null;
  const [keys, value] = [read(columns, span), read(number, hundredths)];
  const isNumbered = kind === 'add' || kind === 'temperature';
  if (keys === null || value === null || isNumbered !== (value !== undefined)) return null;
  if (kind === 'hide' && !keys) return null;
  if (kind === 'temperature' && (keys || Number(value) <= 0)) return null;
  return { kind, ...where, keys: keys ?? [], ...(isNumbered && { value }) };
}

/** @param {string} block @param {string[]} parts side and layer @returns {Change | null} */
function readBlock(block, [side = '', layer = '', ...more]) {
  const where = given({ side: read(side, oneOf(kSides)), layer: read(layer, place) });
  return where && more.length === 0 ? { kind: 'off', block, ...where, keys: [] } : null;
}

/** @param {Change} change @param {string} columns with their weights @returns {Change | null} */
function readSet(change, columns) {
  const cells = columns.split('-').map((cell) => cell.split('_'));
  const keys = cells.flatMap(([column]) => place(column) ?? []);
  const weights = cells.map(([, weight]) => (/^\d{1,3}$/.test(weight ?? '') ? Number(weight) / 100 : NaN));
  const hasPlace = !!change.attention && change.layer !== undefined && change.head !== undefined;
  const hasKeys = keys.length === cells.length && new Set(keys).size === keys.length && keys.length <= kMostPlaces;
  const isSound = hasPlace && change.queries?.length === 1 && hasKeys;
  return isSound && weights.reduce((a, b) => a + b, 0) <= 1.001 ? { ...change, keys, weights } : null;
}

/**
 * A part of an address. @template T @param {string} text @param {(text: string) => T | null} by
 * @returns {T | null | undefined} undefined: it is empty; null: it is malformed
 */
const read = (text, by) => (text === '' ? undefined : by(text));

/** The fields that are not undefined. @param {Record<string, any>} fields @returns {Partial<Change> | null} null: a field is null */
const given = (fields) =>
  Object.values(fields).includes(null)
    ? null
    : Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** @param {string[]} names @returns {(text: string) => string | null} */
const oneOf = (names) => (text) => (names.includes(text) ? text : null);

/** An index from a number that counts from 1. @param {string} text @returns {number | null} from 0 */
const place = (text) => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) - 1 : null);

/** @param {string} text @returns {number | null} */
const hundredths = (text) => (/^-?\d{1,5}$/.test(text) ? Number(text) / 100 : null);

/** "3" or "3-5". @param {string} text @returns {number[] | null} */
function span(text) {
  const [from, to = from, ...more] = text.split('-').map(place);
  if (from === null || to === null || more.length > 0) return null;
  return Math.abs(to - from) < kMostPlaces ? range(from, to) : null;
}

/** @param {Change[]} changes */
export const writeChanges = (changes) => changes.map(writeChange).join('*');

/** @param {Change} change */
function writeChange({ kind, attention, layer, head, queries, keys, weights = [], value, block, side }) {
  const at = (/** @type {number | undefined} */ place) => (place === undefined ? '' : place + 1);
  const text = (/** @type {number[]} */ places) =>
    [...new Set([places[0], places[places.length - 1]])].map((place) => place + 1).join('-');
  const cells = keys.map((key, i) => `${key + 1}_${Math.round(100 * weights[i])}`).join('-');
  const columns = kind === 'set' ? cells : keys.length > 0 ? text(keys) : '';
  const number = value === undefined ? '' : Math.round(100 * value);
  const parts = block
    ? [kind, block, side ?? '', at(layer)]
    : [kind, attention ?? '', at(layer), at(head), queries ? text(queries) : '', columns, number];
  return parts.join('.').replace(/\.+$/, '');
}

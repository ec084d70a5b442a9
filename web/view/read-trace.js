// Reads a saved `qkv-trace/1`. Everything in the file is checked.

/** @typedef {import('./trace.js').Side} Side */
/** @typedef {import('./trace.js').Trace} Trace */
/** @typedef {import('./trace.js').Weights} Weights */

const kLongest = 1000; // pieces
const kMostUnits = 1 << 15;
const kMostHeads = 10_000;

/** An error for a file that is not a trace. Its message is a sentence for the person who chose the file. */
export class TraceError extends Error {
  /** @override */
  name = 'TraceError';
}

/**
 * @param {string} json
 * @returns {Trace} with typed arrays, its spans in UTF-16 units
 * @throws {TraceError}
 */
export function readTrace(json) {
  // The file is not trusted. The type and the length of every field are checked.
  let file;
  try {
    file = JSON.parse(json);
  } catch {
    throw new TraceError('It is not JSON, or only a part of it.');
  }
  if (file?.format !== 'qkv-trace/1') throw new TraceError('It is not a trace: its “format” is not “qkv-trace/1”.');
  check(file.spans === 'utf-16' || file.spans === 'utf-8', 'spans', '“utf-16” or “utf-8”');
  // S and T are the pieces of the source and of the target; all weights must have these sizes.
  const source = sideOf(file.source, 'source', file.spans);
  const target = sideOf(file.target, 'target', file.spans);
  const [S, T] = [source.pieces.length, target.pieces.length];
  const targetInput = strings(file.targetInput, 'targetInput', T);
  target.logProbs = numbers(file.target.logProbs, 'target.logProbs', T, -Infinity, 0);
  return {
    ...file,
    spans: 'utf-16',
    source,
    target,
    targetInput,
    window: file.window && windowIn(file.window, T, S),
    encoderSelf: file.encoderSelf && weightsIn(file.encoderSelf, 'encoderSelf', S, S),
    decoderSelf: file.decoderSelf && weightsIn(file.decoderSelf, 'decoderSelf', T, T),
    gates: file.gates && weightsIn(file.gates, 'gates', T, unitsOf(file.gates)),
    cross: weightsIn(file.cross, 'cross', T, S),
    alignment: file.alignment && alignmentOf(file.alignment, T, S, file.cross.shape),
    alternatives: file.alternatives && alternativesOf(file.alternatives, T),
  };
}

/** The number of columns of forget gates, which is not known from the sentences. @param {any} gates */
const unitsOf = (gates) => (Number.isInteger(gates.shape?.[3]) ? Math.min(gates.shape[3], kMostUnits) : 1);

/** @param {unknown} holds @param {string} where @param {string} expected */
function check(holds, where, expected) {
  if (!holds) throw new TraceError(`Its “${where}” is not ${expected}.`);
}

/** @param {any} side @param {string} name @param {string} unit @returns {Side} */
function sideOf(side, name, unit) {
  check(side && typeof side === 'object', name, 'an object');
  const { text, pieces } = side;
  check(typeof text === 'string', `${name}.text`, 'a text');
  check(Array.isArray(pieces) && pieces.length > 0 && pieces.length <= kLongest, `${name}.pieces`, 'a list of pieces');
  strings(pieces, `${name}.pieces`, pieces.length);
  const toUnits = unit === 'utf-8' ? utf16Offsets(text) : null;
  const limit = toUnits ? toUnits.length - 1 : text.length;
  const offsets = (/** @type {'begin' | 'end'} */ which) => {
    const found = numbers(side[which], `${name}.${which}`, pieces.length, 0, limit);
    check(found.every(Number.isInteger), `${name}.${which}`, 'a list of whole numbers');
    return toUnits ? found.map((offset) => toUnits[offset]) : found;
  };
  return { ...side, text, pieces, begin: offsets('begin'), end: offsets('end') };
}

/** For each offset into a text's UTF-8 the offset into its UTF-16. @param {string} text */
function utf16Offsets(text) {
  /** @type {number[]} */
  const units = [];
  let unit = 0;
  for (const character of text) {
    const bytes = new TextEncoder().encode(character).length;
    for (let i = 0; i < bytes; ++i) units.push(unit);
    unit += character.length;
  }
  units.push(unit);
  return units;
}

/** @param {any} list @param {string} where @param {number} length @returns {string[]} */
function strings(list, where, length) {
  const good = Array.isArray(list) && list.length === length && list.every((one) => typeof one === 'string');
  check(good, where, `a list of ${length} pieces`);
  return list;
}

/** @param {any} list @param {string} where @param {number} length @param {number} low @param {number} high @returns {number[]} */
function numbers(list, where, length, low, high) {
  check(Array.isArray(list) && list.length === length, where, `a list of ${length} numbers`);
  const good = list.every((/** @type {any} */ x) => typeof x === 'number' && x >= low && x <= high);
  check(good, where, low < 0 ? 'a list of logarithms of probabilities' : `a list of numbers from ${low} to ${high}`);
  return list;
}

/** @param {any} map @param {string} where @param {number} rows @param {number} columns @returns {Weights} */
function weightsIn(map, where, rows, columns) {
  const shape = map?.shape;
  const whole = Array.isArray(shape) && shape.length === 4 && shape.every((n) => Number.isInteger(n) && n >= 0);
  const fits = whole && shape[2] === rows && shape[3] === columns && shape[0] * shape[1] <= kMostHeads;
  check(fits, `${where}.shape`, `[layers, heads, ${rows}, ${columns}]`);
  const size = shape.reduce((/** @type {number} */ product, /** @type {number} */ n) => product * n, 1);
  // A weight may be slightly above 1 after rounding.
  return { shape, data: Float32Array.from(numbers(map.data, `${where}.data`, size, 0, 1.001)) };
}

/** @param {any} window @param {number} targets @param {number} sources @returns {import('./trace.js').Window} */
function windowIn({ centres, halfWidth }, targets, sources) {
  check(typeof halfWidth === 'number' && halfWidth > 0, 'window.halfWidth', 'a number above 0');
  return { centres: numbers(centres, 'window.centres', targets, 0, sources), halfWidth };
}

/** @param {any} alignment @param {number} rows @param {number} columns @param {number[]} cross */
function alignmentOf(alignment, rows, columns, cross) {
  const data = numbers(alignment.data, 'alignment.data', rows * columns, 0, 1.001);
  const { heads, note } = alignment;
  const isHead = (/** @type {any} */ head) =>
    Array.isArray(head) && head.length === 2 && head.every((n, i) => Number.isInteger(n) && n >= 0 && n < cross[i]);
  const none = cross[0] * cross[1] === 0;
  check(
    Array.isArray(heads) && (none || heads.length > 0) && heads.every(isHead),
    'alignment.heads',
    'a list of [layer, head]',
  );
  check(note === undefined || typeof note === 'string', 'alignment.note', 'a text');
  return { ...alignment, shape: [rows, columns], data: Float32Array.from(data) };
}

/** @param {any} alternatives @param {number} targets */
function alternativesOf(alternatives, targets) {
  const { count } = alternatives;
  check(Number.isInteger(count) && count >= 0 && count <= kLongest, 'alternatives.count', 'a whole number');
  strings(alternatives.pieces, 'alternatives.pieces', count * targets);
  if (alternatives.ids !== undefined) numbers(alternatives.ids, 'alternatives.ids', count * targets, 0, 2 ** 31);
  numbers(alternatives.logProbs, 'alternatives.logProbs', count * targets, -Infinity, 0);
  return alternatives;
}

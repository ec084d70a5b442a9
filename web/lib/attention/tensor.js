// Tensors as users give them, made into what the engine reads: flat typed arrays whose length is their shape's product.
import { QkvError } from '../errors.js';
import { described, invalid } from '../given.js';

/** @typedef {import('./options.js').Tensor} Tensor */
/** @typedef {{data: Uint8Array, shape: number[]}} Bytes */

/** More numbers than any tensor can have: the engine's memory ends before. */
const kMostNumbers = 2 ** 30;
/** Axes that nested arrays are followed through, one more than anything has. */
const kDeepest = 4;

/**
 * @param {unknown} value
 * @param {string} name
 * @param {number[]} ranks how many axes it may have
 * @returns {Tensor}
 */
export function readTensor(value, name, ranks) {
  return /** @type {Tensor} */ (read(value, name, ranks, Float32Array, isNumber));
}

/**
 * 1 where something is allowed.
 * @param {unknown} value
 * @param {string} name
 * @param {number[]} ranks
 * @returns {Bytes}
 */
export function readMask(value, name, ranks) {
  const bytes = /** @type {Bytes} */ (read(value, name, ranks, Uint8Array, isFlag));
  return bytes;
}

/** @param {unknown} x */
const isNumber = (x) => typeof x === 'number';
/** @param {unknown} x */
const isFlag = (x) => typeof x === 'boolean' || x === 0 || x === 1;

/** @typedef {Float32ArrayConstructor | Uint8ArrayConstructor} Kind */
/** @typedef {(element: unknown) => boolean} Check */

/**
 * @param {any} value
 * @param {string} name
 * @param {number[]} ranks
 * @param {Kind} Kind
 * @param {Check} check of each element
 */
function read(value, name, ranks, Kind, check) {
  if (isList(value)) return readNested(value, name, ranks, Kind, check);
  if (typeof value !== 'object' || value === null || !isList(value.data) || !isList(value.shape)) {
    throw invalid(name, `expected {data, shape} or nested arrays, got ${described(value)}`);
  }
  const shape = readShape(value.shape, name, ranks);
  const count = sizeOf(shape, name);
  if (value.data.length !== count) {
    throw invalid(name, `its shape [${shape}] is of ${count} numbers, and its data has ${value.data.length}`);
  }
  if (isOfKind(value.data, Kind)) return { data: value.data, shape };
  const data = new Kind(count);
  copy(value.data, data, 0, name, check);
  return { data, shape };
}

/**
 * @param {any} shape
 * @param {string} name
 * @param {number[]} ranks
 * @returns {number[]}
 */
function readShape(shape, name, ranks) {
  checkRank(shape.length, name, ranks);
  const sizes = Array.from(shape);
  const isSize = (/** @type {unknown} */ size) => Number.isSafeInteger(size) && /** @type {number} */ (size) >= 0;
  if (!sizes.every(isSize)) throw invalid(name, 'a shape is whole numbers, 0 or more');
  return sizes;
}

/**
 * @param {any} value
 * @param {string} name
 * @param {number[]} ranks
 * @param {Kind} Kind
 * @param {Check} check
 */
function readNested(value, name, ranks, Kind, check) {
  /** @type {number[]} */
  const shape = [];
  for (let inner = value; isList(inner) && shape.length < kDeepest; inner = inner[0]) shape.push(inner.length);
  checkRank(shape.length, name, ranks);
  if (shape.includes(0)) throw invalid(name, 'an empty array has no shape: give {data, shape}');
  const data = new Kind(sizeOf(shape, name, () => checkRows(value, shape, name)));
  let at = 0;
  /** @type {(list: any, axis: number) => void} */
  const fill = (list, axis) => {
    if (axis + 1 < shape.length) for (const inner of list) fill(inner, axis + 1);
    else at = copy(list, data, at, name, check);
  };
  fill(value, 0);
  return { data, shape };
}

/**
 * Every row has the first one's length.
 * @param {any} list
 * @param {number[]} shape
 * @param {string} name
 */
function checkRows(list, [length, ...rest], name) {
  if (!isList(list) || list.length !== length) throw invalid(name, 'its rows are not all of one length');
  if (rest.length > 0) for (let i = 0; i < length; ++i) checkRows(list[i], rest, name);
}

/**
 * @param {number} rank
 * @param {string} name
 * @param {number[]} ranks
 */
function checkRank(rank, name, ranks) {
  if (ranks.includes(rank)) return;
  throw invalid(name, `it has ${ranks.join(' or ')} ${ranks.at(-1) === 1 ? 'axis' : 'axes'}, not ${rank}`);
}

/**
 * @param {number[]} shape
 * @param {string} name
 * @param {() => void} [check] before anything is as large as the shape says
 */
function sizeOf(shape, name, check = () => {}) {
  const count = shape.reduce((product, size) => product * size, 1);
  if (count > kMostNumbers) throw new QkvError('LIMIT_EXCEEDED', `[${shape}] is more than the engine can hold`, name);
  check();
  return count;
}

/**
 * @param {ArrayLike<any>} list
 * @param {Float32Array | Uint8Array} data
 * @param {number} at
 * @param {string} name
 * @param {Check} check
 */
function copy(list, data, at, name, check) {
  for (let i = 0; i < list.length; ++i, ++at) {
    if (!check(list[i])) throw invalid(name, `element ${i} of a row is ${described(list[i])}`);
    data[at] = list[i];
  }
  return at;
}

/**
 * Also of an array from another realm, such as an iframe's.
 * @param {unknown} value
 * @param {Kind} Kind
 */
const isOfKind = (value, Kind) => ArrayBuffer.isView(value) && tagOf(value) === Kind.name;

/** @param {unknown} value */
const isList = (value) =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && /^(Float|Int|Uint)\d+(Clamped)?Array$/.test(tagOf(value)));

/** @param {any} view */
const tagOf = (view) => String(view[Symbol.toStringTag]);

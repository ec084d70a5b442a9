// Turns tensors that callers give into the engine's form: flat typed arrays whose length is the product of the shape.
import { QkvError } from '../base/errors.js';
import { described, invalid } from '../base/arguments.js';

/** @typedef {import('./options.js').Tensor} Tensor */
/** @typedef {{data: Uint8Array, shape: number[]}} Bytes */

/** More numbers than any tensor that fits into the engine's memory. */
const kMostNumbers = 2 ** 30;
/** Nested arrays are read up to so many axes, one more than any tensor has. */
const kDeepest = 4;

const kUneven = 'its rows are not all of one length';

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
 * A mask of 1 (allowed) and 0.
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
 * Copies a tensor. The caller may change, shrink or transfer its data while the engine is loading. Each property, length
 * and element is read once.
 * @param {any} value
 * @param {string} name
 * @param {number[]} ranks
 * @param {Kind} Kind
 * @param {Check} check of each element
 */
function read(value, name, ranks, Kind, check) {
  if (isList(value)) return readNested(value, name, ranks, Kind, check);
  const { data: given, shape: sizes } = typeof value === 'object' && value !== null ? value : {};
  if (!isList(given) || !isList(sizes)) {
    throw invalid(name, `expected {data, shape} or nested arrays, got ${described(value)}`);
  }
  const shape = readShape(sizes, name, ranks);
  const count = sizeOf(shape, name);
  const data = isOfKind(given, Kind) ? copyOf(given, Kind, name) : new Kind(flat(given, { name, check, deepest: 1 }));
  if (data.length === count) return { data, shape };
  throw invalid(name, `its shape [${shape}] has ${count} numbers, but its data has ${data.length}`);
}

/**
 * @param {any} data
 * @param {Kind} Kind
 * @param {string} name
 */
function copyOf(data, Kind, name) {
  try {
    return new Kind(data);
  } catch {
    throw invalid(name, 'its buffer has been transferred, or is smaller now');
  }
}

/**
 * @param {any} shape
 * @param {string} name
 * @param {number[]} ranks
 * @returns {number[]}
 */
function readShape(shape, name, ranks) {
  const { length } = shape;
  checkRank(length, name, ranks);
  const sizes = Array.from({ length }, (_, axis) => shape[axis]);
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
  const numbers = flat(value, { name, check, deepest: kDeepest }, shape);
  if (shape.includes(0)) throw invalid(name, 'an empty array has no shape: give {data, shape}');
  checkRank(shape.length, name, ranks);
  return { data: new Kind(numbers), shape };
}

/**
 * The elements of a list, or of nested lists. The first elements determine the number of axes and the length of each;
 * all lists must agree.
 * @param {any} list
 * @param {{name: string, check: Check, deepest: number}} wanted
 * @param {number[]} [shape] gets the lengths
 * @param {any[]} [elements] the elements so far
 * @param {number} [axis] of the list
 * @returns {any[]}
 */
function flat(list, wanted, shape = [], elements = [], axis = 0) {
  const { name, check, deepest } = wanted;
  const { length } = list;
  shape[axis] ??= length;
  if (shape[axis] !== length) throw invalid(name, kUneven);
  if (elements.length + length > kMostNumbers) throw tooLarge(shape, name);
  for (let i = 0; i < length; ++i) {
    const element = list[i];
    const isFirst = elements.length === 0 && i === 0 && axis + 1 < deepest;
    if (shape.length > axis + 1 || (isFirst && isList(element))) {
      if (!isList(element)) throw invalid(name, kUneven);
      flat(element, wanted, shape, elements, axis + 1);
    } else {
      if (!check(element)) throw invalid(name, `element ${i} of a row is ${described(element)}`);
      elements.push(element);
    }
  }
  return elements;
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
 */
function sizeOf(shape, name) {
  const count = shape.reduce((product, size) => product * size, 1);
  if (count > kMostNumbers) throw tooLarge(shape, name);
  return count;
}

/** @param {number[]} shape @param {string} name */
const tooLarge = (shape, name) => new QkvError('LIMIT_EXCEEDED', `[${shape}] is more than the engine can hold`, name);

/**
 * Whether a value is a typed array of a kind. It may come from another realm, such as an iframe.
 * @param {unknown} value
 * @param {Kind} Kind
 */
const isOfKind = (value, Kind) => ArrayBuffer.isView(value) && tagOf(value) === Kind.name;

/** @param {unknown} value */
const isList = (value) =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && /^(Float|Int|Uint)\d+(Clamped)?Array$/.test(tagOf(value)));

/** @param {any} view */
const tagOf = (view) => String(view[Symbol.toStringTag]);

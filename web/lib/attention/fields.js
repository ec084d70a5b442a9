// Reads the plain values of options.
import { described, invalid } from '../base/arguments.js';

/** The largest position or count: the engine's integers have 32 bits. */
const kLargest = 2 ** 31 - 1;

/**
 * @param {unknown} value
 * @param {string} name
 * @param {number} least
 * @returns {number}
 */
export function readWhole(value, name, least = 0) {
  if (Number.isInteger(value)) {
    const number = /** @type {number} */ (value);
    if (number >= least && number <= kLargest) return number;
  }
  throw invalid(name, `expected a whole number from ${least} to ${kLargest}, got ${described(value)}`);
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {number}
 */
export function readNumber(value, name) {
  if (Number.isFinite(value)) return /** @type {number} */ (value);
  throw invalid(name, `expected a finite number, got ${described(value)}`);
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {boolean}
 */
export function readFlag(value, name) {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw invalid(name, `expected true or false, got ${described(value)}`);
}

/**
 * @template {string} Name
 * @param {unknown} value
 * @param {string} name
 * @param {readonly Name[]} names the first is the default
 * @returns {Name}
 */
export function readName(value, name, names) {
  if (value === undefined) return names[0];
  const found = names.find((known) => known === value);
  if (found !== undefined) return found;
  throw invalid(name, `expected one of ${names.join(', ')}, got ${described(value)}`);
}

/**
 * A name, which the engine looks up in its own list.
 * @param {unknown} value
 * @param {string} name
 * @returns {string}
 */
export function readText(value, name) {
  if (typeof value === 'string') return value;
  throw invalid(name, `expected a name, got ${described(value)}`);
}

// Checks the arguments of public functions: options, texts, numbers. Each value is read once.
import { QkvError, quotaExceeded } from './errors.js';
import { wellFormed } from './well-formed.js';

/** The most UTF-16 units of a text in one call. */
export const kInputQuota = 1_000_000;

/**
 * @param {string} where the argument's name
 * @param {string} message
 */
export const invalid = (where, message) => new QkvError('INVALID_ARGUMENT', message, where);

/** A value, as an error message names it. @param {unknown} value */
export function described(value) {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === 'object') return value === null ? 'null' : 'an object';
  return typeof value === 'symbol' || typeof value === 'function' ? `a ${typeof value}` : String(value);
}

/**
 * Copies an object of options. An unknown option is refused, because a misspelt option would otherwise have no effect.
 * @param {any} value undefined: no options
 * @param {string} name of the function that takes them
 * @param {readonly string[]} known
 * @returns {Record<string, any>} without those that are undefined
 */
export function readFields(value, name, known) {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null) {
    throw invalid(name, `expected an object of options, got ${described(value)}`);
  }
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw invalid(key, `${name} has no such option; it has ${known.join(', ')}`);
  }
  const fields = Object.fromEntries(known.map((key) => [key, value[key]]).filter(([, field]) => field !== undefined));
  if (fields.signal != null && typeof fields.signal.throwIfAborted !== 'function') {
    throw invalid('signal', `expected an AbortSignal, got ${described(fields.signal)}`);
  }
  return fields;
}

/**
 * @param {unknown} text
 * @param {string} [name]
 * @returns {string} without lone surrogates
 */
export function inputText(text, name = 'text') {
  if (typeof text !== 'string') throw invalid(name, `expected a string, got ${described(text)}`);
  if (text.length <= kInputQuota) return wellFormed(text);
  const message = `the text has ${text.length} UTF-16 units; at most ${kInputQuota} fit in one call: split it`;
  const sizes = { quota: kInputQuota, requested: text.length };
  throw quotaExceeded(new QkvError('LIMIT_EXCEEDED', message, name), sizes);
}

/**
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 * @param {string} name
 * @returns {number}
 */
export function inRange(value, least, most, name) {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw invalid(name, `${name} is a number from ${least} to ${most}, not ${described(value)}`);
}

/**
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 * @param {string} name
 * @returns {number}
 */
export function wholeNumber(value, least, most, name) {
  if (Number.isInteger(value)) return inRange(value, least, most, name);
  throw invalid(name, `${name} is a whole number from ${least} to ${most}, not ${described(value)}`);
}

/** The most pieces that a call may ask for. */
const kLongest = 100_000;

/**
 * Reads the option `maxLength` of all calls that generate text: the most pieces to generate.
 * @param {unknown} value
 * @returns {number | undefined} undefined: left out
 */
export const maxLength = (value) => (value === undefined ? undefined : wholeNumber(value, 1, kLongest, 'maxLength'));

// The conversions of JavaScript values by Web IDL (https://webidl.spec.whatwg.org/#js-type-mapping). The arguments of an
// operation are read once, in the order of the specification, before the operation does anything.

/** The getter throws a TypeError for anything but an AbortSignal, also of another window. */
const isAborted = /** @type {{get: () => boolean}} */ (
  Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')
).get;

/**
 * The promise of an operation: an exception rejects it.
 * @template T
 * @param {() => T | Promise<T>} steps
 * @returns {Promise<T>}
 */
export const promised = (steps) => new Promise((resolve) => resolve(steps()));

/**
 * @param {IArguments} given
 * @param {number} count of arguments that are required
 */
export function requireArguments({ length }, count) {
  if (length < count) throw new TypeError(`${count} argument required, but only ${length} present`);
}

/**
 * A DOMString. A symbol throws a TypeError.
 * @param {any} value
 */
export const toText = (value) => `${value}`;

/**
 * A dictionary whose members are read later.
 * @param {any} value
 * @returns {Record<string, any>}
 */
export function toDictionary(value) {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' && typeof value !== 'function') throw new TypeError('The options are not an object');
  return value;
}

/**
 * The member of a dictionary, converted; undefined where it is not present.
 * @template T
 * @param {Record<string, any>} dictionary
 * @param {string} name
 * @param {(value: any, name: string) => T} convert
 * @param {boolean} [isRequired]
 * @returns {T | undefined}
 */
export function member(dictionary, name, convert, isRequired = false) {
  const value = dictionary[name];
  if (value !== undefined) return convert(value, name);
  if (isRequired) throw new TypeError(`The option '${name}' is required`);
  return undefined;
}

/**
 * @param {any} value
 * @returns {AbortSignal}
 */
export function toSignal(value) {
  isAborted.call(value);
  return value;
}

/**
 * @param {any} value
 * @param {string} name
 */
export function toFunction(value, name) {
  if (typeof value !== 'function') throw new TypeError(`The option '${name}' is not a function`);
  return value;
}

/**
 * A sequence of DOMStrings, from any iterable that is not a string.
 * @param {any} value
 * @param {string} name
 */
export function toTexts(value, name) {
  if ((typeof value !== 'object' && typeof value !== 'function') || typeof value?.[Symbol.iterator] !== 'function')
    throw new TypeError(`The option '${name}' is not a sequence`);
  return Array.from(value, toText);
}

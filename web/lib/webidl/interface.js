// Classes with the shape that Web IDL gives to interfaces (https://webidl.spec.whatwg.org/#es-interfaces).

/** The properties that every class has by itself. */
const kOfClass = ['length', 'name', 'prototype', 'constructor'];

/**
 * Completes a class: `for ... in` lists its operations and attributes, minifiers cannot change its name, and
 * Object.prototype.toString gives that name for an instance. Call it in a static block of the class.
 * @param {Function} Class
 * @param {string} name
 */
export function asInterface(Class, name) {
  for (const target of [Class, Class.prototype]) {
    const members = Object.getOwnPropertyNames(target).filter((member) => !kOfClass.includes(member));
    for (const member of members) Object.defineProperty(target, member, { enumerable: true });
  }
  Object.defineProperty(Class, 'name', { value: name });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

// The classes' interfaces, member by member, as Web IDL defines them.
import { holds, identical, kPair, rejected, same, thrown } from './tools.js';

/** The interfaces of the two specifications: static and own operations, each with the number of required arguments. */
const interfaces = {
  Translator: {
    statics: { create: 1, availability: 1 },
    operations: { translate: 1, translateStreaming: 1, measureInputUsage: 1, destroy: 0 },
    attributes: ['sourceLanguage', 'targetLanguage', 'inputQuota'],
    parent: Function.prototype,
  },
  LanguageDetector: {
    statics: { create: 0, availability: 0 },
    operations: { detect: 1, measureInputUsage: 1, destroy: 0 },
    attributes: ['expectedInputLanguages', 'inputQuota'],
    parent: Function.prototype,
  },
  CreateMonitor: {
    statics: {},
    operations: {},
    attributes: ['ondownloadprogress'],
    parent: EventTarget,
  },
};

const flags = ({ writable, enumerable, configurable }) => ({ writable, enumerable, configurable });
const descriptor = Object.getOwnPropertyDescriptor;

/** @param {string} name */
const rowsOf = (name) => {
  const { statics, operations, attributes, parent } = interfaces[name];
  const Class = () => globalThis[name];
  const hidden = { writable: true, enumerable: false, configurable: true };
  const listed = { writable: true, enumerable: true, configurable: true };
  const isOperation = (target, key, length) => {
    const own = descriptor(target, key);
    same(flags(own), listed);
    same([own.value.name, own.value.length], [key, length]);
    thrown(() => new own.value(), 'TypeError');
    same(Object.hasOwn(own.value, 'prototype'), false);
  };
  return [
    [
      `${name} is a property of the global object that can be replaced and is not listed`,
      () => same(flags(descriptor(globalThis, name)), hidden),
    ],
    [
      `the interface object of ${name} has its name and the length 0, neither of them writable or listed`,
      () => {
        const fixed = { writable: false, enumerable: false, configurable: true };
        same([Class().name, Class().length], [name, 0]);
        same([flags(descriptor(Class(), 'name')), flags(descriptor(Class(), 'length'))], [fixed, fixed]);
      },
    ],
    [
      `the interface object of ${name} inherits from its parent's`,
      () => identical(Object.getPrototypeOf(Class()), parent),
    ],
    [
      `the prototype of ${name} is fixed, inherits from its parent's prototype, and has the constructor, which is not listed`,
      () => {
        same(flags(descriptor(Class(), 'prototype')), { writable: false, enumerable: false, configurable: false });
        const above = parent === Function.prototype ? Object.prototype : parent.prototype;
        identical(Object.getPrototypeOf(Class().prototype), above);
        identical(Class().prototype.constructor, Class());
        same(flags(descriptor(Class().prototype, 'constructor')), hidden);
      },
    ],
    [
      `${name} has no constructor: called and with new it throws a TypeError`,
      () => {
        thrown(() => Class()(), 'TypeError');
        holds(thrown(() => new (Class())(), 'TypeError').message.includes('Illegal constructor'));
        thrown(() => Reflect.construct(Class(), [{}]), 'TypeError');
        thrown(() => new (class extends Class() {})(), 'TypeError');
      },
    ],
    [
      `the class string of ${name} is its name, and is neither writable nor listed`,
      () => {
        const own = descriptor(Class().prototype, Symbol.toStringTag);
        same(
          { ...flags(own), value: own.value },
          { writable: false, enumerable: false, configurable: true, value: name },
        );
      },
    ],
    [
      `${name} has the static operations of the specification, and no more`,
      () => {
        same(Object.keys(Class()).sort(), Object.keys(statics).sort());
        for (const [key, length] of Object.entries(statics)) isOperation(Class(), key, length);
      },
    ],
    [
      `the prototype of ${name} has the operations and attributes of the specification, and no more`,
      () => {
        same(Object.keys(Class().prototype).sort(), [...Object.keys(operations), ...attributes].sort());
        for (const [key, length] of Object.entries(operations)) isOperation(Class().prototype, key, length);
      },
    ],
    ...attributes.map((key) => [
      `${name}.${key} is an accessor of the prototype, listed and configurable`,
      () => {
        const { get, set, enumerable, configurable } = descriptor(Class().prototype, key);
        same([enumerable, configurable, get.name, get.length], [true, true, `get ${key}`, 0]);
        same(typeof set, key === 'ondownloadprogress' ? 'function' : 'undefined');
        for (const receiver of [Class().prototype, {}, null]) thrown(() => get.call(receiver), 'TypeError');
      },
    ]),
    ...Object.keys(operations).map((key) => [
      `${name}.${key} refuses what is no ${name}: it rejects where it returns a promise, and throws elsewhere`,
      async () => {
        const call = () => Class().prototype[key].call({}, 'text');
        if (['destroy', 'translateStreaming'].includes(key)) thrown(call, 'TypeError');
        else await rejected(call(), 'TypeError');
      },
    ]),
  ];
};

export const idl = [
  ...Object.keys(interfaces).flatMap(rowsOf),
  [
    'static operations need no receiver',
    async () => {
      const { availability } = globalThis.Translator;
      same(await availability(kPair), 'downloadable');
    },
  ],
  [
    'an instance has no properties of its own, and read-only attributes cannot be set',
    async () => {
      const translator = await globalThis.Translator.create({ sourceLanguage: 'en', targetLanguage: 'en' });
      same(Reflect.ownKeys(translator).length, 0);
      holds(translator instanceof globalThis.Translator);
      same(Object.prototype.toString.call(translator), '[object Translator]');
      for (const key of interfaces.Translator.attributes) thrown(() => (translator[key] = 1), 'TypeError');
      identical(translator.destroy(), undefined);
    },
  ],
];

// An ONNX model, built node by node. The numbers of fields and types are those of onnx.proto3.

import { Message } from './protobuf.mjs';

const kTypes = { float: 1, int8: 3, int64: 7 };
const kAttributes = { float: 1, int: 2, ints: 7 };

/** @typedef {(number | string)[]} Shape a string is a dimension that is free */
/** @typedef {'float' | 'int8' | 'int64'} Type */
/** @typedef {Float32Array | Int8Array | BigInt64Array} Numbers */

/**
 * @typedef {object} NodeOptions
 * @property {Record<string, number | number[] | {float: number}>} [attributes]
 * @property {string} [domain]
 * @property {string} [output] its name
 */

export class Graph {
  #graph = new Message();
  #domains = new Map();
  #names = 0;
  /** Constants by their content, so that each is stored once. */
  #constants = new Map();

  /** @param {string} name @param {number} opset of ai.onnx */
  constructor(name, opset) {
    this.#graph.string(2, name);
    this.#domains.set('', opset);
  }

  /** @param {string} name @param {Shape} shape @param {Type} [type] */
  input(name, shape, type = 'float') {
    this.#graph.message(11, valueInfo(name, shape, type));
    return name;
  }

  /** @param {string} name @param {Shape} shape @param {Type} [type] */
  output(name, shape, type = 'float') {
    this.#graph.message(12, valueInfo(name, shape, type));
  }

  /** Weights. @param {Numbers} data @param {number[]} shape */
  constant(data, shape) {
    const name = `constant ${this.#names++}`;
    const tensor = new Message();
    for (const dim of shape) tensor.int(1, dim);
    this.#graph.message(5, tensor.int(2, typeOf(data)).string(8, name).bytes(9, data));
    return name;
  }

  /** @param {number} value */
  scalar(value) {
    return this.#once(`float ${value}`, () => this.constant(Float32Array.of(value), []));
  }

  /** A list of integers, such as a shape. @param {number[]} values */
  integers(values) {
    return this.#once(`int64 ${values}`, () => this.constant(BigInt64Array.from(values, BigInt), [values.length]));
  }

  #once(key, make) {
    if (!this.#constants.has(key)) this.#constants.set(key, make());
    return this.#constants.get(key);
  }

  /**
   * Adds a node with one output and returns the output's name.
   * @param {string} type
   * @param {string[]} inputs
   * @param {NodeOptions} [options]
   */
  node(type, inputs, { output = `value ${this.#names++}`, ...options } = {}) {
    this.#add(type, inputs, [output], options);
    return output;
  }

  /**
   * Adds a node of several outputs, which are named.
   * @param {string} type
   * @param {string[]} inputs '' where one is left out
   * @param {string[]} outputs
   * @param {Omit<NodeOptions, 'output'>} [options]
   */
  nodes(type, inputs, outputs, options = {}) {
    this.#add(type, inputs, outputs, options);
    return outputs;
  }

  /**
   * A row's numbers in 8 bits: [quantised, scale, zero point]. Readers of the same value share them.
   * @param {string} value
   * @returns {[string, string, string]}
   */
  quantized(value) {
    return this.#once(`quantized ${value}`, () => {
      const outputs = ['quantized', 'scale', 'zero point'].map((part) => `${part} ${this.#names++}`);
      this.#add('DynamicQuantizeLinear', [value], outputs, {});
      return outputs;
    });
  }

  #add(type, inputs, outputs, { attributes = {}, domain = '' }) {
    const node = new Message();
    for (const input of inputs) node.string(1, input);
    for (const output of outputs) node.string(2, output);
    node.string(4, type);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    if (domain) node.string(7, domain);
    if (!this.#domains.has(domain)) this.#domains.set(domain, 1);
    this.#graph.message(1, node);
  }

  /** The model's bytes. */
  finish() {
    const irVersion = this.#domains.get('') >= 23 ? 11 : 8;
    const model = new Message().int(1, irVersion).string(2, 'qkv-bench').message(7, this.#graph);
    for (const [domain, version] of this.#domains) model.message(8, new Message().string(1, domain).int(2, version));
    return model.finish();
  }
}

/** @param {Numbers} data */
function typeOf(data) {
  if (data instanceof Float32Array) return kTypes.float;
  return data instanceof Int8Array ? kTypes.int8 : kTypes.int64;
}

/** @param {string} name @param {Shape} shape @param {Type} type */
function valueInfo(name, shape, type) {
  const dims = new Message();
  for (const dim of shape) {
    dims.message(1, typeof dim === 'string' ? new Message().string(2, dim) : new Message().int(1, dim));
  }
  const tensor = new Message().int(1, kTypes[type]).message(2, dims);
  return new Message().string(1, name).message(2, new Message().message(1, tensor));
}

/** @param {string} name @param {number | number[] | {float: number}} value numbers alone are whole ones */
function attribute(name, value) {
  const message = new Message().string(1, name);
  if (typeof value === 'number') return message.int(3, value).int(20, kAttributes.int);
  if (!Array.isArray(value)) return message.float(2, value.float).int(20, kAttributes.float);
  for (const item of value) message.int(8, item);
  return message.int(20, kAttributes.ints);
}

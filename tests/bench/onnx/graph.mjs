// An ONNX model, built node by node. The numbers of fields and types are those of onnx.proto3.

import { Message } from './protobuf.mjs';

const kTypes = { float: 1, int64: 7 };
const kAttributes = { int: 2, ints: 7 };

/** @typedef {(number | string)[]} Shape a string is a dimension that is free */
/** @typedef {{attributes?: Record<string, number | number[]>, domain?: string, output?: string}} NodeOptions */

export class Graph {
  #graph = new Message();
  #domains = new Map();
  #names = 0;

  /** @param {string} name @param {number} opset of ai.onnx */
  constructor(name, opset) {
    this.#graph.string(2, name);
    this.#domains.set('', opset);
  }

  /** @param {string} name @param {Shape} shape of floats */
  input(name, shape) {
    this.#graph.message(11, valueInfo(name, shape));
    return name;
  }

  /** @param {string} name @param {Shape} shape of floats */
  output(name, shape) {
    this.#graph.message(12, valueInfo(name, shape));
  }

  /** A constant. @param {number} value */
  scalar(value) {
    const name = `constant ${this.#names++}`;
    const data = Float32Array.of(value);
    this.#graph.message(5, new Message().int(2, kTypes.float).string(8, name).bytes(9, data));
    return name;
  }

  /**
   * Adds a node of one output and returns that one's name.
   * @param {string} type
   * @param {string[]} inputs
   * @param {NodeOptions} [options]
   */
  node(type, inputs, { attributes = {}, domain = '', output = `value ${this.#names++}` } = {}) {
    const node = new Message();
    for (const input of inputs) node.string(1, input);
    node.string(2, output).string(4, type);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    if (domain) node.string(7, domain);
    if (!this.#domains.has(domain)) this.#domains.set(domain, 1);
    this.#graph.message(1, node);
    return output;
  }

  /** The model's bytes. */
  finish() {
    const irVersion = this.#domains.get('') >= 23 ? 11 : 8;
    const model = new Message().int(1, irVersion).string(2, 'qkv-bench').message(7, this.#graph);
    for (const [domain, version] of this.#domains) model.message(8, new Message().string(1, domain).int(2, version));
    return model.finish();
  }
}

/** @param {string} name @param {Shape} shape */
function valueInfo(name, shape) {
  const dims = new Message();
  for (const dim of shape) {
    dims.message(1, typeof dim === 'string' ? new Message().string(2, dim) : new Message().int(1, dim));
  }
  const tensor = new Message().int(1, kTypes.float).message(2, dims);
  return new Message().string(1, name).message(2, new Message().message(1, tensor));
}

/** @param {string} name @param {number | number[]} value whole numbers */
function attribute(name, value) {
  const message = new Message().string(1, name);
  if (!Array.isArray(value)) return message.int(3, value).int(20, kAttributes.int);
  for (const item of value) message.int(8, item);
  return message.int(20, kAttributes.ints);
}

// A GPT-2 in GGUF (github.com/ggml-org/ggml, docs/gguf.md) with weights in Q8_0, as wllama reads it.
//
//   "GGUF", u32 version, u64 tensors, u64 fields; fields: key, u32 type, value; of each tensor its name, u32 number of
//   dimensions, u64 dimensions (the fastest first), u32 type, u64 offset; padding; data
//
// Q8_0 has a scale of 16 bits for 32 numbers of 8 bits. Ours are whole numbers times a scale, so they keep their value but
// for the rounding of the scale.

import { pieceTable, piecesOf, positionTable, productsOf } from './gpt2.mjs';
import { asFloats, linear as weightsOf } from './weights.mjs';

const kAlignment = 32;
const kBlock = 32;
const kTypes = { f32: 0, q8: 8 };
const kFields = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 };
const kNormal = 1;
const kControl = 3;

/** Bytes that are appended, numbers least byte first. */
class Writer {
  /** @type {Uint8Array[]} */
  parts = [];
  length = 0;

  bytes(bytes) {
    this.parts.push(bytes);
    this.length += bytes.length;
    return this;
  }
  u32 = (value) => this.bytes(new Uint8Array(Uint32Array.of(value).buffer));
  u64 = (value) => this.bytes(new Uint8Array(BigUint64Array.of(BigInt(value)).buffer));
  f32 = (value) => this.bytes(new Uint8Array(Float32Array.of(value).buffer));
  i32 = (value) => this.u32(value >>> 0);
  bool = (value) => this.bytes(Uint8Array.of(value ? 1 : 0));
  string(text) {
    const bytes = new TextEncoder().encode(text);
    return this.u64(bytes.length).bytes(bytes);
  }
  pad = () => this.bytes(new Uint8Array((kAlignment - (this.length % kAlignment)) % kAlignment));
}

/** The bits of a positive number of ordinary size in 16 bits, rounded to nearest. @param {number} value */
function half(value) {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0];
  return ((bits - 0x38000000 + 0x1000) >>> 13) & 0x7fff;
}

/** @param {string} name @param {import('./weights.mjs').Matrix} matrix */
function quantized(name, { outputs, inputs, data, scale }) {
  const blocks = data.length / kBlock;
  const bytes = new Uint8Array(blocks * (kBlock + 2));
  const bits = half(scale);
  for (let block = 0; block < blocks; ++block) {
    const at = block * (kBlock + 2);
    bytes.set([bits & 255, bits >> 8], at);
    bytes.set(data.subarray(block * kBlock, (block + 1) * kBlock), at + 2);
  }
  return { name, shape: [inputs, outputs], type: kTypes.q8, bytes };
}

/** @param {string} name @param {Float32Array} values @param {number[]} [shape] */
const floats = (name, values, shape = [values.length]) => ({
  ...{ name, shape, type: kTypes.f32, bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) },
});

const norm = (name, d) => [
  floats(`${name}.weight`, new Float32Array(d).fill(1)),
  floats(`${name}.bias`, new Float32Array(d)),
];

const kProducts = { qkv: 'attn_qkv', out: 'attn_output', in: 'ffn_up', back: 'ffn_down' };

/** @param {import('./gpt2.mjs').Gpt2} shape */
function tensorsOf(shape) {
  const { d, positions, layers } = shape;
  const all = [
    quantized('token_embd.weight', pieceTable(shape)),
    floats('position_embd.weight', asFloats(positionTable(shape)), [d, positions]),
    ...norm('output_norm', d),
  ];
  for (let layer = 0; layer < layers; ++layer) {
    all.push(...norm(`blk.${layer}.attn_norm`, d), ...norm(`blk.${layer}.ffn_norm`, d));
    for (const [part, [name, outputs, inputs]] of Object.entries(productsOf(shape, layer))) {
      const { weight, bias } = weightsOf(name, outputs, inputs);
      all.push(quantized(`blk.${layer}.${kProducts[part]}.weight`, weight));
      all.push(floats(`blk.${layer}.${kProducts[part]}.bias`, bias));
    }
  }
  return all;
}

/** Keys, types and values. @param {import('./gpt2.mjs').Gpt2} shape */
function fieldsOf(shape) {
  const pieces = piecesOf(shape);
  const end = pieces.length - 1;
  return [
    ['general.architecture', 'string', 'gpt2'],
    ['gpt2.context_length', 'u32', shape.positions],
    ['gpt2.embedding_length', 'u32', shape.d],
    ['gpt2.feed_forward_length', 'u32', 4 * shape.d],
    ['gpt2.block_count', 'u32', shape.layers],
    ['gpt2.attention.head_count', 'u32', shape.heads],
    ['gpt2.attention.layer_norm_epsilon', 'f32', 1e-5],
    ['tokenizer.ggml.model', 'string', 'gpt2'],
    ['tokenizer.ggml.pre', 'string', 'gpt-2'],
    ['tokenizer.ggml.add_bos_token', 'bool', false],
    ['tokenizer.ggml.tokens', 'string', pieces],
    ['tokenizer.ggml.token_type', 'i32', pieces.map((_, id) => (id === end ? kControl : kNormal))],
    ['tokenizer.ggml.merges', 'string', ['q q']], // a list may not be empty; no prompt has this pair
    ['tokenizer.ggml.bos_token_id', 'u32', end],
    ['tokenizer.ggml.eos_token_id', 'u32', end],
  ];
}

/** The file in parts, one after the other. @param {import('./gpt2.mjs').Gpt2} shape @returns {Uint8Array[]} */
export function gguf(shape) {
  const tensors = tensorsOf(shape);
  const fields = fieldsOf(shape);
  const header = new Writer().bytes(new TextEncoder().encode('GGUF')).u32(3).u64(tensors.length).u64(fields.length);
  for (const [key, type, value] of fields) {
    header.string(key);
    if (Array.isArray(value)) {
      header.u32(kFields.array).u32(kFields[type]).u64(value.length);
      for (const item of value) header[type](item);
    } else {
      header.u32(kFields[type])[type](value);
    }
  }
  const data = new Writer();
  for (const { name, shape: dimensions, type, bytes } of tensors) {
    header.string(name).u32(dimensions.length);
    for (const dimension of dimensions) header.u64(dimension);
    header.u32(type).u64(data.length);
    data.bytes(bytes).pad();
  }
  header.pad();
  return [...header.parts, ...data.parts];
}

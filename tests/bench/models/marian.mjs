// A model in Marian's binary format, as the bergamot package reads it: 8-bit matrices as they lie in memory, with the
// multipliers of activations.
//
//   u64 version, items; of each item u64 length of its name, type, dimensions, bytes; names; shapes; padding; data
//
// A matrix is [inputs, outputs], stored transposed. The factor that made its numbers integers follows its data.

import { embedding, linear as weightsOf, logitsBias } from './weights.mjs';

/** @typedef {import('./architectures.mjs').Architecture} Architecture */
/** @typedef {import('./weights.mjs').Matrix} Matrix */
/** @typedef {{name: string, shape: number[], type: number, bytes: Uint8Array}} Item */

const kTypes = { int8: 0x0101, float32: 0x0404, intgemm8: 0x4101 };
const kAlignment = 256;
// Rows behind a norm are within about 127 / 24, as in the published models.
const kActivationFactor = 24;

const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
const padded = (size) => Math.ceil(size / kAlignment) * kAlignment;

/** @param {string} name @param {Float32Array} values @param {number[]} [shape] @returns {Item} */
const floatItem = (name, values, shape = [1, values.length]) => ({
  ...{ name, shape, type: kTypes.float32, bytes: bytesOf(values) },
});

/** @param {string} name */
const activationFactor = (name) => floatItem(`${name}_QuantMultA`, Float32Array.of(kActivationFactor));

/** @param {string} name @param {Matrix} matrix @param {number[]} shape @returns {Item[]} */
function matrixItems(name, { data, scale }, shape) {
  const bytes = new Uint8Array(data.length + 4);
  bytes.set(bytesOf(data));
  new DataView(bytes.buffer).setFloat32(data.length, 1 / scale, true);
  return [{ name, shape, type: kTypes.intgemm8, bytes }, activationFactor(name)];
}

/** Collects the items of a model. */
class Items {
  /** @type {Item[]} */
  all = [];

  /**
   * @param {string} weight Marian's name
   * @param {string | null} bias Marian's name; null: there is none
   * @param {string} name in MarianMT's layout, which seeds the numbers
   */
  linear(weight, bias, name, outputs, inputs) {
    const values = weightsOf(name, outputs, inputs);
    this.all.push(...matrixItems(weight, values.weight, [inputs, outputs]));
    if (bias) this.all.push(floatItem(bias, values.bias));
  }

  norm(name, d) {
    this.all.push(floatItem(`${name}_ln_scale`, new Float32Array(d).fill(1)));
    this.all.push(floatItem(`${name}_ln_bias`, new Float32Array(d)));
  }

  attention(prefix, name, d) {
    const names = { q: 'q_proj', k: 'k_proj', v: 'v_proj', o: 'out_proj' };
    for (const [letter, part] of Object.entries(names)) {
      this.linear(`${prefix}_W${letter}`, `${prefix}_b${letter}`, `${name}.${part}`, d, d);
    }
    this.norm(`${prefix}_Wo`, d);
  }

  feedForward(prefix, name, { d, ffn }) {
    this.linear(`${prefix}_W1`, `${prefix}_b1`, `${name}.fc1`, ffn, d);
    this.linear(`${prefix}_W2`, `${prefix}_b2`, `${name}.fc2`, d, ffn);
    this.norm(`${prefix}_ffn`, d);
  }

  /** The simple recurrent unit that replaces the decoder's self-attention in the published students. */
  ssru(prefix, name, d) {
    this.linear(`${prefix}_rnn_W`, null, `${name}.ssru`, d, d);
    this.linear(`${prefix}_rnn_Wf`, `${prefix}_rnn_bf`, `${name}.ssru_gate`, d, d);
    this.norm(`${prefix}_rnn_ffn`, d);
  }
}

/**
 * The model's bytes.
 * @param {Architecture} shape
 * @param {'ssru' | 'self-attention'} decoder
 */
export function marianModel(shape, decoder) {
  const { d, vocabulary } = shape;
  const items = new Items();
  items.all.push(...matrixItems('Wemb', embedding(shape), [vocabulary, d]));
  items.all.push(activationFactor('none')); // Marian's name for the rows that a shortlist leaves
  for (let i = 0; i < shape.encoderLayers; ++i) {
    const [prefix, name] = [`encoder_l${i + 1}`, `model.encoder.layers.${i}`];
    items.attention(`${prefix}_self`, `${name}.self_attn`, d);
    items.feedForward(`${prefix}_ffn`, name, shape);
  }
  for (let i = 0; i < shape.decoderLayers; ++i) {
    const [prefix, name] = [`decoder_l${i + 1}`, `model.decoder.layers.${i}`];
    if (decoder === 'ssru') items.ssru(prefix, name, d);
    else items.attention(`${prefix}_self`, `${name}.self_attn`, d);
    items.attention(`${prefix}_context`, `${name}.encoder_attn`, d);
    items.feedForward(`${prefix}_ffn`, name, shape);
  }
  items.all.push(floatItem('decoder_ff_logit_out_b', logitsBias(shape)));
  const text = new TextEncoder().encode(`${settings(shape, decoder)}\0`);
  items.all.push({ name: 'special:model.yml', shape: [text.length], type: kTypes.int8, bytes: text });
  return write(items.all);
}

/** The options that Marian wants of a model; most belong to other kinds of models. */
const settings = (shape, decoder) => `bert-train-type-embeddings: true
bert-type-vocab-size: 2
dec-cell: ssru
dec-cell-base-depth: 2
dec-cell-high-depth: 1
dec-depth: ${shape.decoderLayers}
dim-emb: ${shape.d}
dim-rnn: 1024
dim-vocabs:
  - ${shape.vocabulary}
  - ${shape.vocabulary}
enc-cell: gru
enc-cell-depth: 1
enc-depth: ${shape.encoderLayers}
enc-type: bidirectional
factors-combine: sum
factors-dim-emb: 0
input-types: []
layer-normalization: false
lemma-dim-emb: 0
output-omit-bias: false
right-left: false
skip: false
tied-embeddings: false
tied-embeddings-all: true
tied-embeddings-src: false
transformer-aan-activation: swish
transformer-aan-depth: 2
transformer-aan-nogate: false
transformer-decoder-autoreg: ${decoder === 'ssru' ? 'rnn' : 'self-attention'}
transformer-depth-scaling: false
transformer-dim-aan: 2048
transformer-dim-ffn: ${shape.ffn}
transformer-ffn-activation: relu
transformer-ffn-depth: 2
transformer-guided-alignment-layer: last
transformer-heads: ${shape.heads}
transformer-no-projection: false
transformer-pool: false
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-tied-layers:
  []
transformer-train-position-embeddings: false
type: transformer
ulr: false
ulr-dim-emb: 0
ulr-trainable-transformation: false
version: v1.10.25
`;

/** @param {Item[]} items */
function write(items) {
  const names = items.map(({ name }) => new TextEncoder().encode(`${name}\0`));
  const sizes = items.map(({ type, bytes }) => (type === kTypes.int8 ? bytes.length : padded(bytes.length)));
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  const dimensions = sum(items.map(({ shape }) => shape.length));
  const header = 16 + 32 * items.length + sum(names.map(({ length }) => length)) + 4 * dimensions;
  const start = padded(header + 8 + 1);
  const out = new Uint8Array(start + sum(sizes));
  const view = new DataView(out.buffer);
  let at = 0;
  const u64 = (value) => {
    view.setBigUint64(at, BigInt(value), true);
    at += 8;
  };
  const append = (bytes, size) => {
    out.set(bytes, at);
    at += size;
  };
  u64(1);
  u64(items.length);
  items.forEach(({ type, shape }, i) => [names[i].length, type, shape.length, sizes[i]].forEach(u64));
  for (const name of names) append(name, name.length);
  for (const { shape } of items) append(bytesOf(Int32Array.from(shape)), 4 * shape.length);
  u64(start - at - 8);
  at = start;
  items.forEach(({ bytes }, i) => append(bytes, sizes[i]));
  return out;
}

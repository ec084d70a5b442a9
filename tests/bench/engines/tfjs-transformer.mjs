// The Lab's Transformer in TensorFlow.js, with its own gradients and its own Adam: pre-norm, ReLU, one table of
// embeddings for both sides and for the logits.

/** Numbers of 16 bits (IEEE 754 binary16) as floats. @param {Uint16Array} halves */
function fromHalves(halves) {
  return Float32Array.from(halves, (half) => {
    const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
    const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
    return half & 0x8000 ? -size : size;
  });
}

/**
 * The tensors of a model.safetensors of float16.
 * @param {any} tf
 * @param {Uint8Array} file
 * @returns {Record<string, any>} variables by name
 */
export function variablesOf(tf, file) {
  const bytes = file.slice(); // so that numbers of two bytes lie at even places
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const read = ({ shape, data_offsets: [from, to] }) => {
    const data = fromHalves(new Uint16Array(bytes.slice(8 + length + from, 8 + length + to).buffer));
    return tf.variable(tf.tensor(data, shape));
  };
  return Object.fromEntries(Object.entries(header).map(([name, entry]) => [name, read(entry)]));
}

/** Sines beside cosines, as Vaswani et al. (2017) have the frequencies. */
function positions(tf, length, d) {
  const at = (i, j) => i / 10000 ** ((2 * (j % (d / 2))) / d);
  const row = (i) => Array.from({ length: d }, (_, j) => (j < d / 2 ? Math.sin(at(i, j)) : Math.cos(at(i, j))));
  return tf.tensor(Array.from({ length }, (_, i) => row(i)));
}

/**
 * The mean of -log p over the pieces of all targets.
 * @param {any} tf
 * @param {{d: number, heads: number, layers: number}} shape
 * @param {number} length pieces of a source and of a target
 * @returns {(w: Record<string, any>, batch: {source: any, before: any, target: any}) => any} ids as one-hot rows, [pairs * length,
 *   vocabulary]; before: the target shifted by one
 */
export function lossOf(tf, { d, heads, layers }, length) {
  const table = positions(tf, length, d);
  const causal = tf.tensor(Array.from({ length }, (_, i) => Array.from({ length }, (_, j) => (j > i ? -1e9 : 0))));
  const linear = (w, name, x) => tf.add(tf.matMul(x, w[`${name}.weight`], false, true), w[`${name}.bias`]);
  const norm = (w, name, x) => {
    const { mean, variance } = tf.moments(x, 1, true);
    const scaled = tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, 1e-5)));
    return tf.add(tf.mul(scaled, w[`${name}.weight`]), w[`${name}.bias`]);
  };
  const split = (x) => tf.transpose(tf.reshape(x, [-1, length, heads, d / heads]), [0, 2, 1, 3]);
  const attend = (w, name, x, memory, mask) => {
    const [q, k, v] = [x, memory, memory].map((from, i) => split(linear(w, `${name}.${'qkv'[i]}_proj`, from)));
    const scores = tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(d / heads));
    const read = tf.matMul(tf.softmax(mask ? tf.add(scores, mask) : scores), v);
    return linear(w, `${name}.out_proj`, tf.reshape(tf.transpose(read, [0, 2, 1, 3]), [-1, d]));
  };
  const embed = (w, oneHot) => {
    const rows = tf.mul(tf.matMul(oneHot, w['model.shared.weight']), Math.sqrt(d));
    return tf.reshape(tf.add(tf.reshape(rows, [-1, length, d]), table), [-1, d]);
  };
  const feedForward = (w, name, x) => linear(w, `${name}.fc2`, tf.relu(linear(w, `${name}.fc1`, x)));
  const selfBlock = (w, name, x, mask) => {
    const normed = norm(w, `${name}.self_attn_layer_norm`, x);
    return tf.add(x, attend(w, `${name}.self_attn`, normed, normed, mask));
  };
  const lastBlock = (w, name, x) => tf.add(x, feedForward(w, name, norm(w, `${name}.final_layer_norm`, x)));

  return (w, { source, before, target }) => {
    let memory = embed(w, source);
    for (let i = 0; i < layers; ++i) {
      const name = `model.encoder.layers.${i}`;
      memory = lastBlock(w, name, selfBlock(w, name, memory));
    }
    memory = norm(w, 'model.encoder.layer_norm', memory);
    let x = embed(w, before);
    for (let i = 0; i < layers; ++i) {
      const name = `model.decoder.layers.${i}`;
      x = selfBlock(w, name, x, causal);
      const normed = norm(w, `${name}.encoder_attn_layer_norm`, x);
      x = lastBlock(w, name, tf.add(x, attend(w, `${name}.encoder_attn`, normed, memory)));
    }
    x = norm(w, 'model.decoder.layer_norm', x);
    const logits = tf.add(tf.matMul(x, w['model.shared.weight'], false, true), w.final_logits_bias);
    return tf.neg(tf.mean(tf.sum(tf.mul(tf.logSoftmax(logits), target), 1)));
  };
}

// The layers of a Transformer as nodes of a graph, with the weights of models/weights.mjs.

import { asFloats, linear as weightsOf, transposed } from '../models/weights.mjs';

/** @typedef {import('./graph.mjs').Graph} Graph */
/** @typedef {import('../models/weights.mjs').Matrix} Matrix */
/** @typedef {'f32' | 'int8'} Precision */

const kFloat = 1;

/**
 * x W', W [outputs, inputs]. In 8 bits activations are quantised on the fly, with one scale and zero point for all of
 * them, as in onnxruntime's own dynamic quantisation.
 * @param {Graph} graph
 * @param {string} x
 * @param {Matrix} matrix
 * @param {Precision} precision
 * @param {string} [output] its name
 */
export function product(graph, x, matrix, precision, output) {
  const { outputs, inputs, data, scale } = matrix;
  if (precision === 'f32') {
    const weights = graph.constant(transposed(asFloats(matrix), outputs, inputs), [inputs, outputs]);
    return graph.node('MatMul', [x, weights], { output });
  }
  const weights = graph.constant(transposed(data, outputs, inputs), [inputs, outputs]);
  const [quantized, scaleOfX, zero] = graph.quantized(x);
  const sums = graph.node('MatMulInteger', [quantized, weights, zero]);
  const scales = graph.node('Mul', [scaleOfX, graph.scalar(scale)]);
  return graph.node('Mul', [graph.node('Cast', [sums], { attributes: { to: kFloat } }), scales], { output });
}

/**
 * x W' + b.
 * @param {Graph} graph
 * @param {string} x
 * @param {string} name of the layer in MarianMT's layout
 * @param {[number, number]} shape outputs, inputs
 * @param {Precision} precision
 */
export function linear(graph, x, name, [outputs, inputs], precision) {
  const { weight, bias } = weightsOf(name, outputs, inputs);
  return graph.node('Add', [product(graph, x, weight, precision), graph.constant(bias, [outputs])]);
}

/**
 * norm(x), its gain 1 and its bias 0.
 * @param {Graph} graph
 * @param {string} x
 * @param {number} d
 * @param {number} [epsilon]
 */
export function norm(graph, x, d, epsilon = 1e-5) {
  const gain = graph.constant(new Float32Array(d).fill(1), [d]);
  const bias = graph.constant(new Float32Array(d), [d]);
  return graph.node('LayerNormalization', [x, gain, bias], { attributes: { axis: -1, epsilon: { float: epsilon } } });
}

/** norm(x + y). @param {Graph} graph @param {string} x @param {string} y @param {number} d @param {number} [epsilon] */
export const addNorm = (graph, x, y, d, epsilon) => norm(graph, graph.node('Add', [x, y]), d, epsilon);

/**
 * The feed-forward network and its residual.
 * @param {Graph} graph
 * @param {string} x
 * @param {string} name of the Transformer's layer
 * @param {import('../models/architectures.mjs').Architecture} shape
 * @param {Precision} precision
 */
export function feedForward(graph, x, name, { d, ffn }, precision) {
  const hidden = graph.node('Relu', [linear(graph, x, `${name}.fc1`, [ffn, d], precision)]);
  return addNorm(graph, x, linear(graph, hidden, `${name}.fc2`, [d, ffn], precision), d);
}

/** [1, length, d] to [1, heads, length, d / heads]. @param {Graph} graph @param {string} x @param {number[]} shape */
export function splitHeads(graph, x, [heads, dim]) {
  const split = graph.node('Reshape', [x, graph.integers([0, 0, heads, dim])]);
  return graph.node('Transpose', [split], { attributes: { perm: [0, 2, 1, 3] } });
}

/** softmax(Q K' / sqrt(d) + mask) V, [1, heads, length, dim]; the mask may be left out. */
export function attend(graph, [q, k, v, mask], dim, output) {
  const transposedKeys = graph.node('Transpose', [k], { attributes: { perm: [0, 1, 3, 2] } });
  const scores = graph.node('Mul', [graph.node('MatMul', [q, transposedKeys]), graph.scalar(1 / Math.sqrt(dim))]);
  const masked = mask ? graph.node('Add', [scores, mask]) : scores;
  const weights = graph.node('Softmax', [masked], { attributes: { axis: -1 } });
  return graph.node('MatMul', [weights, v], { output });
}

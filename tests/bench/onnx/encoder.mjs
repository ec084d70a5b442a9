// The encoder of a Transformer, from products and a softmax or with onnxruntime's fused attention.

import { Graph } from './graph.mjs';
import { addNorm, attend, feedForward, linear, splitHeads } from './layers.mjs';

/** @typedef {import('../models/architectures.mjs').Architecture} Architecture */
/** @typedef {import('./layers.mjs').Precision} Precision */
/** @typedef {'plain' | 'multi-head'} EncoderGraph */

/** @type {EncoderGraph[]} */
export const encoderGraphs = ['plain', 'multi-head'];

/** The context of all heads side by side, [1, length, d]. */
function attention(graph, [q, k, v], { d, heads }, kind) {
  if (kind === 'multi-head') {
    return graph.node('MultiHeadAttention', [q, k, v], { attributes: { num_heads: heads }, domain: 'com.microsoft' });
  }
  const split = [q, k, v].map((x) => splitHeads(graph, x, [heads, d / heads]));
  const context = graph.node('Transpose', [attend(graph, split, d / heads)], { attributes: { perm: [0, 2, 1, 3] } });
  return graph.node('Reshape', [context, graph.integers([0, 0, d])]);
}

/**
 * Every layer, x [1, length, d] to the same shape.
 * @param {Graph} graph
 * @param {string} x
 * @param {Architecture} shape
 * @param {Precision} precision
 * @param {EncoderGraph} kind
 */
export function encoderLayers(graph, x, shape, precision, kind) {
  const { d } = shape;
  for (let i = 0; i < shape.encoderLayers; ++i) {
    const name = `model.encoder.layers.${i}`;
    const project = (value, part) => linear(graph, value, `${name}.self_attn.${part}_proj`, [d, d], precision);
    const parts = ['q', 'k', 'v'].map((part) => project(x, part));
    x = addNorm(graph, x, project(attention(graph, parts, shape, kind), 'out'), d);
    x = feedForward(graph, x, name, shape, precision);
  }
  return x;
}

/** The model's bytes. @param {Architecture} shape @param {Precision} precision @param {EncoderGraph} kind */
export function encoderModel(shape, precision, kind) {
  const graph = new Graph('encoder', 17);
  const rows = [1, 'length', shape.d];
  const y = encoderLayers(graph, graph.input('x', rows), shape, precision, kind);
  graph.node('Identity', [y], { output: 'output' });
  graph.output('output', rows);
  return graph.finish();
}

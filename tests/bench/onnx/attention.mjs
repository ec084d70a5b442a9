// softmax(Q K' / sqrt(d)) V, causal or not, in the three forms that onnxruntime has.

import { Graph } from './graph.mjs';
import { attend } from './layers.mjs';

/** @typedef {'plain' | 'multi-head' | 'opset-23'} AttentionGraph */

/** @type {AttentionGraph[]} */
export const attentionGraphs = ['plain', 'multi-head', 'opset-23'];

/** Products and a softmax, [1, heads, length, dim], with a mask as another input if it is causal; the runtime may fuse them. */
function plain({ heads, dim, causal }) {
  const graph = new Graph('attention', 17);
  const shape = [1, heads, 'length', dim];
  const inputs = ['q', 'k', 'v'].map((name) => graph.input(name, shape));
  if (causal) inputs.push(graph.input('mask', ['length', 'length']));
  attend(graph, inputs, dim, 'output');
  graph.output('output', shape);
  return graph.finish();
}

/** onnxruntime's own fused operation, [1, length, heads * dim]: heads side by side. */
function multiHead({ heads, dim, causal }) {
  const graph = new Graph('attention', 17);
  const shape = [1, 'length', heads * dim];
  const inputs = ['q', 'k', 'v'].map((name) => graph.input(name, shape));
  graph.node('MultiHeadAttention', inputs, {
    attributes: { num_heads: heads, unidirectional: Number(causal) },
    domain: 'com.microsoft',
    output: 'output',
  });
  graph.output('output', shape);
  return graph.finish();
}

/** ONNX's own Attention, [1, heads, length, dim]. */
function opset23({ heads, dim, causal }) {
  const graph = new Graph('attention', 23);
  const shape = [1, heads, 'length', dim];
  const inputs = ['q', 'k', 'v'].map((name) => graph.input(name, shape));
  graph.node('Attention', inputs, { attributes: { is_causal: Number(causal) }, output: 'output' });
  graph.output('output', shape);
  return graph.finish();
}

const builders = { plain, 'multi-head': multiHead, 'opset-23': opset23 };

/** The model's bytes. @param {AttentionGraph} kind @param {{heads: number, dim: number, causal: boolean}} shape */
export const attentionModel = (kind, shape) => builders[kind](shape);

// GPT-2 as one graph for a prompt and for a step, with onnxruntime's fused attention, whose keys and values come in and go
// out. The choice of the next piece is inside, so that little data leaves it.

import { pieceTable, positionTable, productsOf } from '../models/gpt2.mjs';
import { asFloats } from '../models/weights.mjs';
import { Graph } from './graph.mjs';
import { linear, norm, product } from './layers.mjs';

/** @typedef {import('../models/gpt2.mjs').Gpt2} Gpt2 */
/** @typedef {import('./layers.mjs').Precision} Precision */

const kEpsilon = 1e-5;

/** Attention of a layer; "past k i" and "past v i" become "present k i" and "present v i". */
function attention(graph, x, layer, { d, heads }) {
  const [q, k, v] = graph.nodes(
    'Split',
    [x],
    ['q', 'k', 'v'].map((part) => `${part} ${layer}`),
    {
      attributes: { axis: 2 },
    },
  );
  const shape = (rows) => [1, heads, rows, d / heads];
  const past = ['k', 'v'].map((part) => graph.input(`past ${part} ${layer}`, shape('past')));
  const present = ['k', 'v'].map((part) => `present ${part} ${layer}`);
  for (const name of present) graph.output(name, shape('present'));
  const attributes = { num_heads: heads, unidirectional: 1 };
  const outputs = [`context ${layer}`, ...present];
  const inputs = [q, k, v, '', '', '', ...past];
  return graph.nodes('MultiHeadAttention', inputs, outputs, { attributes, domain: 'com.microsoft' })[0];
}

/**
 * ids and positions [1, length] to "next" [1, 1], the likeliest piece behind the last one.
 * @param {Gpt2} shape
 * @param {Precision} precision
 * @param {{logits?: boolean}} [options] logits: "logits" [1, 1, vocabulary] too
 */
export function gpt2Model(shape, precision, { logits = false } = {}) {
  const { d, layers, vocabulary } = shape;
  const graph = new Graph('gpt2', 17);
  const input = (name) => graph.input(name, [1, 'length'], 'int64');
  const table = (matrix) => graph.constant(asFloats(matrix), [matrix.outputs, d]);
  const pieces = pieceTable(shape);
  const rows = graph.node('Gather', [table(pieces), input('ids')]);
  let x = graph.node('Add', [rows, graph.node('Gather', [table(positionTable(shape)), input('positions')])]);
  for (let layer = 0; layer < layers; ++layer) {
    const products = productsOf(shape, layer);
    const multiply = (value, part) => {
      const [name, outputs, inputs] = products[part];
      return linear(graph, value, name, [outputs, inputs], precision);
    };
    const attended = attention(graph, multiply(norm(graph, x, d, kEpsilon), 'qkv'), layer, shape);
    x = graph.node('Add', [x, multiply(attended, 'out')]);
    const hidden = graph.node('FastGelu', [multiply(norm(graph, x, d, kEpsilon), 'in')], { domain: 'com.microsoft' });
    x = graph.node('Add', [x, multiply(hidden, 'back')]);
  }
  // Only the last row is multiplied by the vocabulary.
  const last = graph.node('Gather', [x, graph.integers([-1])], { attributes: { axis: 1 } });
  const scores = product(graph, norm(graph, last, d, kEpsilon), pieces, precision, 'logits');
  if (logits) graph.output('logits', [1, 1, vocabulary]);
  graph.node('ArgMax', [scores], { attributes: { axis: -1, keepdims: 0 }, output: 'next' });
  graph.output('next', [1, 1], 'int64');
  return graph.finish();
}

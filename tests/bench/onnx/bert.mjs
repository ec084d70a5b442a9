// BERT as a graph with onnxruntime's fused attention, which its optimiser makes of a published model.

import { productsOf, tables } from '../models/bert.mjs';
import { asFloats } from '../models/weights.mjs';
import { Graph } from './graph.mjs';
import { addNorm, linear, norm } from './layers.mjs';

/** @typedef {import('../models/bert.mjs').Bert} Bert */
/** @typedef {import('./layers.mjs').Precision} Precision */

const kInt32 = 6;
const kEpsilon = 1e-12;

/** The sum of three rows for each piece, after its norm. @param {Graph} graph @param {Bert} shape */
function embed(graph, shape) {
  const [words, positions, types] = tables(shape).map((table) =>
    graph.constant(asFloats(table), [table.outputs, shape.d]),
  );
  const rows = graph.node('Gather', [words, graph.input('ids', ['batch', 'length'], 'int64')]);
  const places = graph.node('Gather', [positions, graph.input('positions', [1, 'length'], 'int64')]);
  const type = graph.node('Gather', [types, graph.integers([0])]);
  return norm(graph, graph.node('Add', [graph.node('Add', [rows, places]), type]), shape.d, kEpsilon);
}

/**
 * ids [batch, length], positions [1, length] and mask [batch, length], 1 where a text has a piece, to the last layer's
 * "output" [batch, length, d].
 * @param {Bert} shape
 * @param {Precision} precision
 */
export function bertModel(shape, precision) {
  const { d, heads, layers } = shape;
  const graph = new Graph('bert', 17);
  let x = embed(graph, shape);
  const given = graph.input('mask', ['batch', 'length'], 'int64');
  const mask = graph.node('Cast', [given], { attributes: { to: kInt32 } });
  for (let layer = 0; layer < layers; ++layer) {
    const products = productsOf(shape, layer);
    const multiply = (value, part) => {
      const [name, outputs, inputs] = products[part];
      return linear(graph, value, name, [outputs, inputs], precision);
    };
    const parts = ['query', 'key', 'value'].map((part) => multiply(x, part));
    const attributes = { num_heads: heads };
    const context = graph.node('MultiHeadAttention', [...parts, '', mask], { attributes, domain: 'com.microsoft' });
    x = addNorm(graph, x, multiply(context, 'out'), d, kEpsilon);
    const hidden = graph.node('Gelu', [multiply(x, 'in')], { domain: 'com.microsoft' });
    x = addNorm(graph, x, multiply(hidden, 'back'), d, kEpsilon);
  }
  graph.node('Identity', [x], { output: 'output' });
  graph.output('output', ['batch', 'length', d]);
  return graph.finish();
}

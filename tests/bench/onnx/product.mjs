// One product by constant weights.

import { productWeights } from '../models/weights.mjs';
import { Graph } from './graph.mjs';
import { product } from './layers.mjs';

/** The model's bytes. @param {import('../workloads.mjs').Product} work */
export function productModel(work) {
  const { inputs, outputs, precision } = work;
  const graph = new Graph('product', 17);
  product(graph, graph.input('x', ['rows', inputs]), productWeights(work), precision, 'output');
  graph.output('output', ['rows', outputs]);
  return graph.finish();
}

// onnxruntime, for the web and for Node: one interface.

import { attentionInputs, sideBySide } from '../inputs.mjs';
import { attentionModel } from '../onnx/attention.mjs';

/**
 * @param {import('./desk.mjs').Host} host
 * @param {{runtime: 'web' | 'node'}} options
 */
export async function open(host, { runtime }) {
  const ort = runtime === 'web' ? await openWeb(host) : (await import('onnxruntime-node')).default;

  /** @param {import('../workloads.mjs').Attention} work @param {import('../onnx/attention.mjs').AttentionGraph} graph */
  async function prepare(work, graph) {
    const { heads, length, dim } = work;
    const session = await ort.InferenceSession.create(attentionModel(graph, work), {
      executionProviders: [runtime === 'web' ? 'wasm' : 'cpu'],
      graphOptimizationLevel: 'all',
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
    });
    const isSideBySide = graph === 'multi-head';
    const shape = isSideBySide ? [1, length, heads * dim] : [1, heads, length, dim];
    const tensor = (data) =>
      new ort.Tensor('float32', isSideBySide ? sideBySide(data, heads, length, dim) : data, shape);
    const { query, key, value } = attentionInputs(work);
    const feeds = { q: tensor(query), k: tensor(key), v: tensor(value) };
    const run = () => session.run(feeds);
    const output = async () => {
      const { data } = (await run()).output;
      return isSideBySide ? sideBySide(data, length, heads, dim) : data;
    };
    return { run, output, release: () => session.release() };
  }
  return { prepare };
}

/** @param {import('./desk.mjs').Host} host */
async function openWeb(host) {
  const folder = 'tests/bench/node_modules/onnxruntime-web/dist/';
  const ort = await import(host.url(`${folder}ort.${host.isNode ? 'node' : 'wasm'}.min.mjs`));
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = host.url(folder);
  return ort;
}

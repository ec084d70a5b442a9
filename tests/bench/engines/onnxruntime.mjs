// onnxruntime for the web and for Node, behind one interface.

import { prepareAttention } from './onnxruntime/attention.mjs';
import { prepareEncode, prepareGenerate } from './onnxruntime/brought.mjs';
import { prepareLines } from './onnxruntime/lines.mjs';
import { prepareEncoder, prepareProduct } from './onnxruntime/rows.mjs';
import { prepareTranslation } from './onnxruntime/translate.mjs';

/**
 * @typedef {object} Runtime
 * @property {(model: Uint8Array) => Promise<any>} session
 * @property {(data: Float32Array | BigInt64Array, shape: number[]) => any} tensor
 */

const preparations = {
  attention: prepareAttention,
  product: prepareProduct,
  encoder: prepareEncoder,
  'translate-ids': prepareTranslation,
  'translate-lines': prepareLines,
  encode: prepareEncode,
  generate: prepareGenerate,
};

/**
 * @param {import('./session.mjs').Host} host
 * @param {{runtime: 'web' | 'node', threads: number}} options
 */
export async function open(host, { runtime, threads }) {
  const ort = runtime === 'web' ? await openWeb(host, threads) : (await import('onnxruntime-node')).default;
  const session = (model) =>
    ort.InferenceSession.create(model, {
      executionProviders: [runtime === 'web' ? 'wasm' : 'cpu'],
      graphOptimizationLevel: 'all',
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
    });
  const tensor = (data, shape) => new ort.Tensor(data instanceof Float32Array ? 'float32' : 'int64', data, shape);
  return { prepare: (work, variant) => preparations[work.kind]({ session, tensor }, work, variant) };
}

/** @param {import('./session.mjs').Host} host @param {number} threads */
async function openWeb(host, threads) {
  const folder = 'tests/bench/node_modules/onnxruntime-web/dist/';
  const ort = await import(host.url(`${folder}ort.${host.isNode ? 'node' : 'wasm'}.min.mjs`));
  ort.env.wasm.numThreads = threads;
  ort.env.wasm.wasmPaths = host.url(folder);
  return ort;
}

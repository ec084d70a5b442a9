// TensorFlow.js with its WebAssembly backend, without threads.

import { attentionInputs, productRows } from '../inputs.mjs';
import { asFloats, productWeights } from '../models/weights.mjs';

/** @param {import('./session.mjs').Host} host */
export async function open(host) {
  const { tf, wasm } = host.isNode ? await inNode() : await inPage(host);
  wasm.setThreadsCount(1);
  if (!(await tf.setBackend('wasm'))) throw new Error('tfjs does not start its WebAssembly backend');

  const prepare = (work) => (work.kind === 'product' ? prepareProduct(tf, work) : prepareAttention(tf, work));
  return { prepare };
}

/** @param {import('../workloads.mjs').Attention} work */
function prepareAttention(tf, work) {
  const { query, key, value } = attentionInputs(work);
  const [q, k, v] = [query, key, value].map((data) => tf.tensor(data, [work.heads, work.length, work.dim]));
  const run = () =>
    tf.tidy(() => {
      const scores = tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(work.dim));
      return tf.matMul(tf.softmax(scores), v).dataSync();
    });
  return { run, output: run, release: () => tf.dispose([q, k, v]) };
}

/** @param {import('../workloads.mjs').Product} work */
function prepareProduct(tf, work) {
  const { rows, inputs, outputs } = work;
  const weights = asFloats(productWeights(work));
  const x = tf.tensor(productRows(work), [rows, inputs]);
  // Transposed beforehand, as constant weights are.
  const w = tf.tidy(() => tf.transpose(tf.tensor(weights, [outputs, inputs])));
  const run = () => tf.tidy(() => tf.matMul(x, w).dataSync());
  return { run, output: run, release: () => tf.dispose([x, w]) };
}

async function inNode() {
  const { default: tf } = await import('@tensorflow/tfjs-core');
  const { default: wasm } = await import('@tensorflow/tfjs-backend-wasm');
  return { tf, wasm };
}

/** @param {import('./session.mjs').Host} host */
async function inPage(host) {
  const folder = 'tests/bench/node_modules/@tensorflow/tfjs-';
  for (const name of ['core', 'backend-cpu', 'backend-wasm'])
    await host.script(`${folder}${name}/dist/tf-${name}.min.js`);
  const { tf } = globalThis;
  tf.wasm.setWasmPaths(host.url(`${folder}backend-wasm/dist/`));
  return { tf, wasm: tf.wasm };
}

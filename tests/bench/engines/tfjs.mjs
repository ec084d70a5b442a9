// TensorFlow.js with its WebAssembly backend, whose threads stay off.

import { attentionInputs } from '../inputs.mjs';

/** @param {import('./desk.mjs').Host} host */
export async function open(host) {
  const { tf, wasm } = host.isNode ? await inNode() : await inPage(host);
  wasm.setThreadsCount(1);
  if (!(await tf.setBackend('wasm'))) throw new Error('tfjs does not start its WebAssembly backend');

  /** @param {import('../workloads.mjs').Attention} work */
  function prepare(work) {
    const { query, key, value } = attentionInputs(work);
    const [q, k, v] = [query, key, value].map((data) => tf.tensor(data, [work.heads, work.length, work.dim]));
    const run = () =>
      tf.tidy(() => {
        const scores = tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(work.dim));
        return tf.matMul(tf.softmax(scores), v).dataSync();
      });
    return { run, output: run, release: () => tf.dispose([q, k, v]) };
  }
  return { prepare };
}

async function inNode() {
  const { default: tf } = await import('@tensorflow/tfjs-core');
  const { default: wasm } = await import('@tensorflow/tfjs-backend-wasm');
  return { tf, wasm };
}

/** @param {import('./desk.mjs').Host} host */
async function inPage(host) {
  const folder = 'tests/bench/node_modules/@tensorflow/tfjs-';
  for (const name of ['core', 'backend-cpu', 'backend-wasm'])
    await host.script(`${folder}${name}/dist/tf-${name}.min.js`);
  const { tf } = globalThis;
  tf.wasm.setWasmPaths(host.url(`${folder}backend-wasm/dist/`));
  return { tf, wasm: tf.wasm };
}

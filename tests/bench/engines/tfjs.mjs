// TensorFlow.js with its WebAssembly backend, without threads. Its backend in JavaScript is slower for all of this work.

import { attentionInputs, causalMask, productRows } from '../inputs.mjs';
import { config, kBatch, kLetters, kRate, reversals, shape } from '../models/lab.mjs';
import { asFloats, productWeights } from '../models/weights.mjs';
import { lossOf, variablesOf } from './tfjs-transformer.mjs';

/** @param {import('./session.mjs').Host} host */
export async function open(host) {
  const { tf, wasm } = host.isNode ? await inNode() : await inPage(host);
  wasm.setThreadsCount(1);
  if (!(await tf.setBackend('wasm'))) throw new Error('tfjs does not start its WebAssembly backend');

  const prepare = (work) => {
    if (work.kind === 'train') return prepareTraining(tf, host, work);
    return work.kind === 'product' ? prepareProduct(tf, work) : prepareAttention(tf, work);
  };
  return { prepare };
}

/**
 * Begins with the weights with which qkv's Trainer begins.
 * @param {any} tf
 * @param {import('./session.mjs').Host} host
 * @param {import('../workloads.mjs').Train} work
 */
async function prepareTraining(tf, host, { updates, rows }) {
  const { Trainer } = await import(host.url(`${host.builds.package}/train.js`));
  const pairs = reversals();
  const trainer = await Trainer.create({ pairs, config });
  const files = await trainer.files();
  trainer.destroy();
  const weights = variablesOf(tf, files['model.safetensors']);
  const vocabulary = JSON.parse(new TextDecoder().decode(files['vocab.json']));
  const length = kLetters + 1; // with </s>
  // The WebAssembly backend makes whole numbers alone.
  const oneHot = (ids) => tf.cast(tf.oneHot(tf.tensor1d(ids, 'int32'), Object.keys(vocabulary).length), 'float32');
  const ended = (text) => [...[...text].map((letter) => vocabulary[letter]), vocabulary['</s>']];
  const batchOf = (some) => ({
    source: oneHot(some.flatMap(([source]) => ended(source))),
    before: oneHot(some.flatMap(([, target]) => [vocabulary['<pad>'], ...ended(target).slice(0, -1)])),
    target: oneHot(some.flatMap(([, target]) => ended(target))),
  });
  if (kBatch * 2 * length !== rows) throw new Error(`${kBatch * 2 * length} rows in a batch instead of ${rows}`);
  const loss = lossOf(tf, shape, length);
  const first = tf.tidy(() => length * loss(weights, batchOf(pairs.slice(0, 1))).dataSync()[0]);
  // The texts of all batches become tensors beforehand.
  const batches = Array.from({ length: 20 }, (_, i) => batchOf(pairs.slice(i * kBatch, (i + 1) * kBatch)));
  const adam = tf.train.adam(kRate, 0.9, 0.98, 1e-9);
  let step = 0;
  const update = () => adam.minimize(() => loss(weights, batches[step++ % batches.length]), true);
  const run = () => {
    for (let i = 1; i < updates; ++i) tf.dispose(update());
    return tf.tidy(() => update().dataSync()[0]);
  };
  const release = () => {
    adam.dispose();
    tf.dispose([...Object.values(weights), ...batches.flatMap(Object.values)]);
  };
  return { run, output: () => Float32Array.of(first), words: updates * rows, release };
}

/** @param {import('../workloads.mjs').Attention} work */
function prepareAttention(tf, work) {
  const mask = work.causal && tf.tensor(causalMask(work.length), [work.length, work.length]);
  const { query, key, value } = attentionInputs(work);
  const [q, k, v] = [query, key, value].map((data) => tf.tensor(data, [work.heads, work.length, work.dim]));
  const run = () =>
    tf.tidy(() => {
      const scores = tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(work.dim));
      return tf.matMul(tf.softmax(mask ? tf.add(scores, mask) : scores), v).dataSync();
    });
  return { run, output: run, release: () => tf.dispose(mask ? [q, k, v, mask] : [q, k, v]) };
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
  const { default: tf } = await import('@tensorflow/tfjs');
  const { default: wasm } = await import('@tensorflow/tfjs-backend-wasm');
  return { tf, wasm };
}

/** @param {import('./session.mjs').Host} host */
async function inPage(host) {
  const folder = 'tests/bench/node_modules/@tensorflow/tfjs';
  await host.script(`${folder}/dist/tf.min.js`); // with gradients, which the core alone lacks
  await host.script(`${folder}-backend-wasm/dist/tf-backend-wasm.min.js`);
  const { tf } = globalThis;
  tf.wasm.setWasmPaths(host.url(`${folder}-backend-wasm/dist/`));
  return { tf, wasm: tf.wasm };
}

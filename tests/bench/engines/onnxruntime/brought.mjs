// Models that people bring: an encoder's texts, and a prompt with what follows it.

import { makeText } from '../../models/bert.mjs';
import { brought } from '../../models/brought.mjs';
import { makePrompt } from '../../models/gpt2.mjs';
import { bertModel } from '../../onnx/bert.mjs';
import { gpt2Model } from '../../onnx/gpt2.mjs';

/** @typedef {import('../onnxruntime.mjs').Runtime} Runtime */

const places = (count, first = 0) => Array.from({ length: count }, (_, i) => first + i);

/**
 * @param {Runtime} runtime
 * @param {import('../../workloads.mjs').Encode} work
 * @param {'one batch' | 'one by one'} way a batch is padded to its longest text, as its documentation does it
 */
export async function prepareEncode({ session, tensor }, { model, precision, lengths }, way) {
  const shape = brought[model];
  const opened = await session(bertModel(shape, precision));
  const texts = lengths.map((length, number) => makeText(shape, length, number).ids);
  const batches = way === 'one batch' ? [texts] : texts.map((ids) => [ids]);
  const feeds = batches.map((batch) => padded(batch, tensor));
  const run = async () => {
    let last;
    for (const feed of feeds) last = await opened.run(feed);
    return last;
  };
  const output = async () => {
    const { data, dims } = (await run()).output;
    return data.slice((dims[0] - 1) * dims[1] * dims[2]).subarray(0, lengths.at(-1) * dims[2]);
  };
  return { run, output, words: sum(lengths), release: () => opened.release() };
}

const sum = (values) => values.reduce((all, value) => all + value, 0);

/** Texts as rows of one length, and a mask that says where they are. @param {number[][]} texts */
function padded(texts, tensor) {
  const longest = Math.max(...texts.map((ids) => ids.length));
  const rows = (of) => {
    const values = texts.flatMap((ids) => places(longest).map((place) => BigInt(of(ids, place))));
    return tensor(BigInt64Array.from(values), [texts.length, longest]);
  };
  return {
    ids: rows((ids, place) => ids[place] ?? 0),
    mask: rows((ids, place) => (place < ids.length ? 1 : 0)),
    positions: tensor(BigInt64Array.from(places(longest), BigInt), [1, longest]),
  };
}

/** @param {Runtime} runtime @param {import('../../workloads.mjs').Generate} work */
export async function prepareGenerate({ session, tensor }, { model, precision, prompt, pieces }) {
  const shape = brought[model];
  const integers = (values) => tensor(BigInt64Array.from(values, BigInt), [1, values.length]);
  const opened = await session(gpt2Model(shape, precision));
  const { ids } = makePrompt(prompt);
  const empty = () => tensor(new Float32Array(0), [1, shape.heads, 0, shape.d / shape.heads]);
  const state = (valueOf) => {
    const names = places(shape.layers).flatMap((layer) => [`k ${layer}`, `v ${layer}`]);
    return Object.fromEntries(names.map((name) => [`past ${name}`, valueOf(name)]));
  };

  /** Reads pieces behind others. */
  const read = async (graph, next, first, past) => {
    const result = await graph.run({ ids: integers(next), positions: integers(places(next.length, first)), ...past });
    return { result, past: state((name) => result[`present ${name}`]) };
  };
  async function run() {
    let { result, past } = await read(opened, ids, 0, state(empty));
    for (let i = 1; i < pieces; ++i) {
      ({ result, past } = await read(opened, [Number(result.next.data[0])], prompt + i - 1, past));
    }
  }

  /** The log-probability of each piece of the prompt but the first, as the engine's trace has them. */
  async function output() {
    const scored = await session(gpt2Model(shape, precision, { logits: true }));
    const found = [];
    let past = state(empty);
    for (let i = 0; i + 1 < prompt; ++i) {
      const step = await read(scored, [ids[i]], i, past);
      past = step.past;
      found.push(logSoftmaxAt(step.result.logits.data, ids[i + 1]));
    }
    await scored.release();
    return Float32Array.from(found);
  }
  return { run, output, words: pieces === 1 ? prompt : pieces, release: () => opened.release() };
}

/** @param {Float32Array} logits @param {number} id */
function logSoftmaxAt(logits, id) {
  const most = logits.reduce((a, b) => Math.max(a, b));
  return logits[id] - most - Math.log(logits.reduce((all, logit) => all + Math.exp(logit - most), 0));
}

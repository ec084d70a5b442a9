// A translation as two graphs: the encoder with the cross-attention's keys and values, and one step of greedy decoding,
// which takes its own keys and values and returns them. The step also chooses the next piece, so that little data
// leaves it.

import { kEnd, startPiece } from '../models/architectures.mjs';
import { asFloats, embedding, logitsBias, rowsOf } from '../models/weights.mjs';
import { encoderLayers } from './encoder.mjs';
import { Graph } from './graph.mjs';
import { addNorm, attend, feedForward, linear, product, splitHeads } from './layers.mjs';

/** @typedef {import('../models/architectures.mjs').Architecture} Architecture */
/** @typedef {import('./layers.mjs').Precision} Precision */

const kPositions = 64;

/** MarianMT's sinusoids: sines first, cosines after them. @param {number} d */
function positionTable(d) {
  const table = new Float32Array(kPositions * d);
  for (let position = 0; position < kPositions; ++position) {
    for (let j = 0; j < d / 2; ++j) {
      const angle = position / 10000 ** ((2 * j) / d);
      table[position * d + j] = Math.sin(angle);
      table[position * d + d / 2 + j] = Math.cos(angle);
    }
  }
  return table;
}

/** @param {Graph} graph @param {Architecture} shape @param {string} length of the one sentence */
function embed(graph, shape, length) {
  const { vocabulary, d } = shape;
  const ids = graph.input('ids', [1, length], 'int64');
  const positions = graph.input('positions', [1, length], 'int64');
  const table = graph.constant(asFloats(embedding(shape)), [vocabulary, d]);
  const rows = graph.node('Mul', [graph.node('Gather', [table, ids]), graph.scalar(Math.sqrt(d))]);
  const places = graph.node('Gather', [graph.constant(positionTable(d), [kPositions, d]), positions]);
  return graph.node('Add', [rows, places]);
}

/**
 * ids and positions [1, source] to "cross k i" and "cross v i" [1, heads, source, dim] of every decoder layer i.
 * @param {Architecture} shape
 * @param {Precision} precision
 */
export function sourceModel(shape, precision) {
  const { d, heads } = shape;
  const graph = new Graph('source', 17);
  const memory = encoderLayers(graph, embed(graph, shape, 'source'), shape, precision, 'multi-head');
  for (let i = 0; i < shape.decoderLayers; ++i) {
    for (const part of ['k', 'v']) {
      const name = `model.decoder.layers.${i}.encoder_attn.${part}_proj`;
      const rows = splitHeads(graph, linear(graph, memory, name, [d, d], precision), [heads, d / heads]);
      graph.node('Identity', [rows], { output: `cross ${part} ${i}` });
      graph.output(`cross ${part} ${i}`, [1, heads, 'source', d / heads]);
    }
  }
  return graph.finish();
}

/** Both attentions of one decoder layer, with their residuals, for a single row x. */
function decoderAttention(graph, x, i, shape, precision) {
  const { d, heads } = shape;
  const head = graph.integers([1, heads, 1, d / heads]);
  const row = graph.integers([1, 1, d]);
  const project = (value, part) => linear(graph, value, `model.decoder.layers.${i}.${part}_proj`, [d, d], precision);
  const ofHeads = (value, part) => graph.node('Reshape', [project(value, part), head]);
  const residual = (value, parts, part) => {
    const context = graph.node('Reshape', [attend(graph, parts, d / heads), row]);
    return addNorm(graph, value, project(context, part), d);
  };
  const [keys, values] = ['k', 'v'].map((part) => {
    const past = graph.input(`past ${part} ${i}`, [1, heads, 'past', d / heads]);
    const output = `present ${part} ${i}`;
    graph.output(output, [1, heads, 'present', d / heads]);
    return graph.node('Concat', [past, ofHeads(x, `self_attn.${part}`)], { attributes: { axis: 2 }, output });
  });
  const y = residual(x, [ofHeads(x, 'self_attn.q'), keys, values], 'self_attn.out');
  const memory = ['k', 'v'].map((part) => graph.input(`cross ${part} ${i}`, [1, heads, 'source', d / heads]));
  return residual(y, [ofHeads(y, 'encoder_attn.q'), ...memory], 'encoder_attn.out');
}

/**
 * ids and positions [1, 1] to "next" [1, 1], the most likely piece; of the shortlist, if there is one.
 * @param {Architecture} shape
 * @param {Precision} precision
 * @param {{shortlist?: number[], scores?: boolean}} options scores: "score" [1, 1] is the piece's log-probability
 */
export function stepModel(shape, precision, { shortlist, scores = false }) {
  const graph = new Graph('step', 17);
  let x = embed(graph, shape, 'one');
  for (let i = 0; i < shape.decoderLayers; ++i) {
    x = decoderAttention(graph, x, i, shape, precision);
    x = feedForward(graph, x, `model.decoder.layers.${i}`, shape, precision);
  }
  const logits = outputs(graph, x, shape, precision, shortlist);
  const best = graph.node('ArgMax', [logits], { attributes: { axis: -1, keepdims: 0 } });
  if (shortlist) graph.node('Gather', [graph.integers(shortlist), best], { output: 'next' });
  else graph.node('Identity', [best], { output: 'next' });
  graph.output('next', [1, 1], 'int64');
  if (scores) addScores(graph, logits);
  return graph.finish();
}

/** Logits by the embedding's own rows. Neither </s> nor the start piece is ever the largest. */
function outputs(graph, x, shape, precision, shortlist) {
  const table = embedding(shape);
  const bias = logitsBias(shape);
  bias[startPiece(shape)] = bias[kEnd];
  const rows = shortlist ? rowsOf(table, shortlist) : table;
  const biases = shortlist ? Float32Array.from(shortlist, (id) => bias[id]) : bias;
  return graph.node('Add', [product(graph, x, rows, precision), graph.constant(biases, [biases.length])]);
}

function addScores(graph, logits) {
  const all = graph.node('LogSoftmax', [logits], { attributes: { axis: -1 } });
  graph.node('ReduceMax', [all], { attributes: { axes: [-1], keepdims: 0 }, output: 'score' });
  graph.output('score', [1, 1]);
}

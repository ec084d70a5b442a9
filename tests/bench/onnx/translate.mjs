// A translation as two graphs: the encoder with the cross-attention's keys and values, and one step of decoding, which
// takes its own keys and values and returns them. The step also chooses the next pieces, so that little data leaves it.
// Sentences of one length may be a batch; a row of the decoder is a hypothesis, those of a sentence one after the other.

import { kEnd, startPiece } from '../models/architectures.mjs';
import { asFloats, embedding, logitsBias, rowsOf } from '../models/weights.mjs';
import { encoderLayers } from './encoder.mjs';
import { Graph } from './graph.mjs';
import { addNorm, attend, feedForward, linear, product, splitHeads } from './layers.mjs';

/** @typedef {import('../models/architectures.mjs').Architecture} Architecture */
/** @typedef {import('./layers.mjs').Precision} Precision */
/** @typedef {{beam: number, parents?: string}} Search parents: the rows that hypotheses go on from, if any may change */

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

/** @param {Graph} graph @param {Architecture} shape @param {string} rows @param {string} length of each row */
function embed(graph, shape, rows, length) {
  const { vocabulary, d } = shape;
  const ids = graph.input('ids', [rows, length], 'int64');
  const positions = graph.input('positions', [1, length], 'int64');
  const table = graph.constant(asFloats(embedding(shape)), [vocabulary, d]);
  const pieces = graph.node('Mul', [graph.node('Gather', [table, ids]), graph.scalar(Math.sqrt(d))]);
  const places = graph.node('Gather', [graph.constant(positionTable(d), [kPositions, d]), positions]);
  return graph.node('Add', [pieces, places]);
}

/**
 * ids [sentences, source] and positions [1, source] to "cross k i" and "cross v i" [sentences, heads, source, dim] of
 * every decoder layer i.
 * @param {Architecture} shape
 * @param {Precision} precision
 */
export function sourceModel(shape, precision) {
  const { d, heads } = shape;
  const graph = new Graph('source', 17);
  const memory = encoderLayers(graph, embed(graph, shape, 'sentences', 'source'), shape, precision, 'multi-head');
  for (let i = 0; i < shape.decoderLayers; ++i) {
    for (const part of ['k', 'v']) {
      const name = `model.decoder.layers.${i}.encoder_attn.${part}_proj`;
      const rows = splitHeads(graph, linear(graph, memory, name, [d, d], precision), [heads, d / heads]);
      graph.node('Identity', [rows], { output: `cross ${part} ${i}` });
      graph.output(`cross ${part} ${i}`, ['sentences', heads, 'source', d / heads]);
    }
  }
  return graph.finish();
}

/**
 * Both attentions of one decoder layer, with their residuals, for rows x [rows, 1, d].
 * @param {Graph} graph
 * @param {string} x
 * @param {number} i
 * @param {Architecture} shape
 * @param {Precision} precision
 * @param {Search} search
 */
function decoderAttention(graph, x, i, shape, precision, { beam, parents }) {
  const { d, heads } = shape;
  const dim = d / heads;
  const row = graph.integers([-1, 1, d]);
  const project = (value, part) => linear(graph, value, `model.decoder.layers.${i}.${part}_proj`, [d, d], precision);
  const ofHeads = (value, part) => graph.node('Reshape', [project(value, part), graph.integers([-1, heads, 1, dim])]);
  const residual = (value, context, part) =>
    addNorm(graph, value, project(graph.node('Reshape', [context, row]), part), d);
  // Each row attends to what its own hypothesis has read.
  const [keys, values] = ['k', 'v'].map((part) => {
    const past = graph.input(`past ${part} ${i}`, ['rows', heads, 'past', dim]);
    const output = `present ${part} ${i}`;
    graph.output(output, ['rows', heads, 'present', dim]);
    const own = parents ? graph.node('Gather', [past, parents], { attributes: { axis: 0 } }) : past;
    return graph.node('Concat', [own, ofHeads(x, `self_attn.${part}`)], { attributes: { axis: 2 }, output });
  });
  const y = residual(x, attend(graph, [ofHeads(x, 'self_attn.q'), keys, values], dim), 'self_attn.out');
  // The rows of a sentence attend to its source together.
  const memory = ['k', 'v'].map((part) => graph.input(`cross ${part} ${i}`, ['sentences', heads, 'source', dim]));
  if (beam === 1) return residual(y, attend(graph, [ofHeads(y, 'encoder_attn.q'), ...memory], dim), 'encoder_attn.out');
  const exchange = (value) => graph.node('Transpose', [value], { attributes: { perm: [0, 2, 1, 3] } });
  const queries = graph.node('Reshape', [project(y, 'encoder_attn.q'), graph.integers([-1, beam, heads, dim])]);
  return residual(y, exchange(attend(graph, [exchange(queries), ...memory], dim)), 'encoder_attn.out');
}

/** The rows of a step, up to the logits [rows, 1, outputs]. */
function decoder(graph, shape, precision, search, shortlist) {
  let x = embed(graph, shape, 'rows', 'one');
  for (let i = 0; i < shape.decoderLayers; ++i) {
    x = decoderAttention(graph, x, i, shape, precision, search);
    x = feedForward(graph, x, `model.decoder.layers.${i}`, shape, precision);
  }
  return outputs(graph, x, shape, precision, shortlist);
}

/**
 * Greedy: ids [rows, 1] and positions [1, 1] to "next" [rows, 1], the most likely piece; of the shortlist, if there is one.
 * @param {Architecture} shape
 * @param {Precision} precision
 * @param {{shortlist?: number[], scores?: boolean}} options scores: "score" [rows, 1] is the piece's log-probability
 */
export function stepModel(shape, precision, { shortlist, scores = false }) {
  const graph = new Graph('step', 17);
  const logits = decoder(graph, shape, precision, { beam: 1 }, shortlist);
  const best = graph.node('ArgMax', [logits], { attributes: { axis: -1, keepdims: 0 } });
  if (shortlist) graph.node('Gather', [graph.integers(shortlist), best], { output: 'next' });
  else graph.node('Identity', [best], { output: 'next' });
  graph.output('next', ['rows', 1], 'int64');
  if (scores) addScores(graph, logits);
  return graph.finish();
}

/**
 * A beam: also "parents" [rows], from which row of the last step each row goes on, and "scores" [sentences, beam], their
 * log-probabilities, to "next" [rows, 1], "next parents" [rows] and "next scores" [sentences, beam], best first.
 * @param {Architecture} shape
 * @param {Precision} precision
 * @param {number} beam
 */
export function beamStepModel(shape, precision, beam) {
  const graph = new Graph('beam step', 17);
  const parents = graph.input('parents', ['rows'], 'int64');
  const logits = decoder(graph, shape, precision, { beam, parents });
  // The best of all continuations of a sentence: [sentences, beam * vocabulary] to [sentences, beam].
  const { vocabulary } = shape;
  const all = graph.node('LogSoftmax', [logits], { attributes: { axis: -1 } });
  const ofSentences = graph.node('Reshape', [all, graph.integers([-1, beam, vocabulary])]);
  const before = graph.node('Reshape', [graph.input('scores', ['sentences', beam]), graph.integers([-1, beam, 1])]);
  const sums = graph.node('Reshape', [
    graph.node('Add', [ofSentences, before]),
    graph.integers([-1, beam * vocabulary]),
  ]);
  const [, places] = graph.nodes('TopK', [sums, graph.integers([beam])], ['next scores', 'places']);
  graph.output('next scores', ['sentences', beam]);
  // A place is the hypothesis times the vocabulary, plus the piece.
  const size = graph.integers([vocabulary]);
  graph.node('Reshape', [graph.node('Mod', [places, size]), graph.integers([-1, 1])], { output: 'next' });
  graph.output('next', ['rows', 1], 'int64');
  const first = graph.input('first', ['sentences', 1], 'int64'); // the first row of each sentence
  const rows = graph.node('Add', [graph.node('Div', [places, size]), first]);
  graph.node('Reshape', [rows, graph.integers([-1])], { output: 'next parents' });
  graph.output('next parents', ['rows'], 'int64');
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
  graph.output('score', ['rows', 1]);
}

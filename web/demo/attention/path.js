// The path through the lessons. A lesson needs only the lessons before it. Each stop of the path has an exercise: a change of the
// numbers, which the page checks. The texts of a stop are in texts/: its question, what is lost without its idea, its exercise.

import { keysOf } from './state.js';
import { texts } from './texts.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./compute.js').Result} Result */

/**
 * @typedef {object} Attempt
 * @property {State} state
 * @property {Result} result
 * @property {Result} first the result when the lesson begins
 */

/**
 * @typedef {object} Stop
 * @property {string} id of the lesson
 * @property {(attempt: Attempt) => boolean} isDone
 */

/** The weights of a query in the first head. @param {Result} result @param {number} [query] */
function weightsOf({ weights }, query = 0) {
  const [, , keys] = weights.shape;
  return Array.from(weights.data).slice(query * keys, (query + 1) * keys);
}

/** The key with the largest weight. @param {Result} result @param {number} [query] */
function best(result, query = 0) {
  const row = weightsOf(result, query);
  return row.indexOf(Math.max(...row));
}

const largest = (/** @type {Result} */ result) => Math.max(...weightsOf(result));

/** Whether all queries of the first head have the same weights, within 0.01. @param {Result} result */
function isOneRow(result) {
  const first = weightsOf(result);
  const rows = Array.from({ length: result.weights.shape[1] }, (_, i) => weightsOf(result, i));
  return rows.every((row) => row.every((weight, j) => Math.abs(weight - first[j]) < 0.01));
}

/** The last stop of each chapter. texts/ has the names of the chapters; teaching.md has a lesson for each. */
const kChapterEnds = ['bottleneck', 'sinks', 'linear', 'limits'];

/** @type {Stop[]} */
export const path = [
  {
    id: 'kernel',
    isDone: ({ result }) => largest(result) > 0.9,
  },
  {
    id: 'bank',
    isDone: ({ result }) => weightsOf(result).toSorted((a, b) => b - a)[1] >= 0.2,
  },
  {
    id: 'shapes',
    isDone: ({ state }) => state.query[0].length !== keysOf(state)[0].length,
  },
  {
    id: 'bottleneck',
    isDone: ({ result, first }) => best(result) !== best(first),
  },
  {
    id: 'additive',
    isDone: ({ result, first }) => best(result) !== best(first),
  },
  {
    id: 'compare',
    isDone: ({ state, result }) =>
      state.score === 'cosine' && Math.abs(weightsOf(result)[0] - weightsOf(result)[1]) < 1e-3,
  },
  {
    id: 'scale',
    isDone: ({ state, result }) => state.score === 'dot' && Math.max(...Array.from(result.weights.data)) > 0.95,
  },
  {
    id: 'luong',
    isDone: ({ state, result }) => Boolean(state.scene.feed) && best(result, 2) !== best(result, 1),
  },
  {
    id: 'local',
    isDone: ({ result }) => weightsOf(result, 3).filter((weight) => weight > 0.02).length <= 1,
  },
  {
    id: 'sinks',
    isDone: ({ state, result }) => state.window === 'local-m' && best(result, state.query.length - 1) === 0,
  },
  {
    id: 'hard',
    isDone: ({ result }) => Math.max(...softmax(Array.from(result.logits.data))) > 0.9,
  },
  {
    id: 'sparse',
    isDone: ({ state, result }) => state.selection === 'sparsemax' && largest(result) === 1,
  },
  {
    id: 'saliency',
    isDone: ({ state, result }) => state.keyNames[best(result)] === texts.lessons.saliency.things.party[1],
  },
  {
    id: 'pointer',
    isDone: ({ result }) => result.chosen.data[0] === 1,
  },
  {
    id: 'dense',
    isDone: ({ state }) => state.query.length > 5,
  },
  {
    id: 'reach',
    isDone: ({ state }) => Number(state.scene.d) === 64,
  },
  {
    id: 'linear',
    isDone: ({ state }) => state.score === 'linear' && !state.causal,
  },
  {
    id: 'heads',
    isDone: ({ state }) => state.heads === 1 && !state.joined,
  },
  {
    id: 'positions',
    isDone: ({ state }) => Boolean(state.scene.on) && state.scene.order !== '0123',
  },
  {
    id: 'distances',
    isDone: ({ state, result }) =>
      state.score === 't5' && state.query.slice(1).every((_, i) => best(result, i + 1) === i),
  },
  {
    id: 'masks',
    isDone: ({ result }) => weightsOf(result)[0] === 1,
  },
  {
    id: 'block',
    isDone: ({ state, result }) => !state.scene.residual && isOneRow(result),
  },
  {
    id: 'decoder',
    isDone: ({ state }) => Boolean(state.scene.cache) && state.query.length === 1 && keysOf(state).length === 6,
  },
  {
    id: 'readers',
    isDone: ({ state }) => !state.causal,
  },
  {
    id: 'limits',
    isDone: ({ result, first }) =>
      weightsOf(result)[0] <= weightsOf(first)[0] / 2 &&
      Array.from(result.output.data).every((x, i) => Math.abs(x - first.output.data[i]) <= 0.05),
  },
];

/** The stops of each chapter. @returns {Stop[][]} */
export function chapters() {
  const ends = kChapterEnds.map((end) => path.findIndex(({ id }) => id === end) + 1);
  return ends.map((end, i) => path.slice(ends[i - 1] ?? 0, end));
}

/** @param {number[]} logits */
function softmax(logits) {
  const most = Math.max(...logits);
  const odds = logits.map((x) => Math.exp(x - most));
  const sum = odds.reduce((a, b) => a + b, 0);
  return odds.map((x) => x / sum);
}

// A pointer network for pairs of texts. The words of the source are points, and the target has some of them in an order.

import { PointerTrainer } from '../../lib/train/index.js';

/** @typedef {import('./tasks.js').Pair} Pair */
/** @typedef {import('./tasks.js').Data} Data */
/** @typedef {import('./models.js').ModelChoice} ModelChoice */

const wordsOf = (/** @type {string} */ text) => text.split(' ');
/** The numbers of a word, such as "12" or "3,45". @param {string} word */
const numbersOf = (word) => word.split(',').map(Number);

/**
 * The points of a source: its scaled numbers and a 0. The last point has only a 1: it ends an order.
 * @param {string} source
 * @param {number} scale
 */
function pointsOf(source, scale) {
  const points = wordsOf(source).map((word) => [...numbersOf(word).map((x) => x / scale), 0]);
  return [...points, [...points[0].slice(1).fill(0), 1]];
}

/** The places of the target's words in the source, then the end. @param {Pair} pair @returns {number[]} */
function orderOf([source, target]) {
  const words = wordsOf(source);
  const free = new Set(words.keys());
  const places = wordsOf(target).map((word) => {
    const place = words.findIndex((one, i) => free.has(i) && one === word);
    if (place < 0)
      throw new Error(`“${word}” is not in “${source}”: a pointer network writes only words of the source.`);
    free.delete(place);
    return place;
  });
  return [...places, words.length];
}

/** @param {Pair} pair @param {number} scale */
const setOf = (pair, scale) => ({ points: pointsOf(pair[0], scale), order: orderOf(pair) });

/** The largest number of all sources. @param {Pair[]} pairs */
function scaleOf(pairs) {
  const all = pairs.flatMap(([source]) => wordsOf(source).flatMap(numbersOf));
  if (!all.every(Number.isFinite)) {
    throw new Error('A pointer network reads numbers: words such as 12, or 3,45 for a point in the plane.');
  }
  return all.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
}

/**
 * @param {ModelChoice} choice
 * @param {Data} data
 * @param {{seed: number, rate: number, worker?: boolean}} how
 */
export async function createPointer(choice, { pairs, unseen }, { seed, rate, worker }) {
  // All coordinates are divided by one number, so that they are at most 1.
  const scale = scaleOf([...pairs, ...unseen]);
  const sets = pairs.map((pair) => setOf(pair, scale));
  const config = { width: choice.width, batch: 32, rate, seed };
  const trainer = await PointerTrainer.create({ sets, config, worker });
  // The network chooses places. The last place, </s>, ends the answer.
  const run = async (/** @type {string} */ source) => {
    const points = pointsOf(source, scale);
    const { order, weights } = await trainer.trace(points, { stop: points.length - 1 });
    const words = [...wordsOf(source), '</s>'];
    const written = order.filter((place) => place < points.length - 1).map((place) => words[place]);
    return { words, order, weights, written: written.join(' ') };
  };
  return {
    trainer,
    write: async (/** @type {string} */ source) => (await run(source)).written,
    show: async (/** @type {Pair} */ [source, wanted]) => {
      const { words, order, weights, written } = await run(source);
      return {
        source,
        wanted,
        written,
        trace: traceOf(
          words,
          order.map((place) => words[place]),
          weights.data,
        ),
      };
    },
  };
}

/** The weights as a trace for the views. @param {string[]} words @param {string[]} written @param {Float32Array} data */
function traceOf(words, written, data) {
  const side = (/** @type {string[]} */ pieces) => ({
    text: pieces.join(' '),
    pieces,
    labels: pieces.map((text) => ({ text, word: true, special: text === '</s>' })),
    begin: pieces.map(() => 0),
    end: pieces.map(() => 0),
  });
  const cross = { shape: [1, 1, written.length, words.length], data };
  return /** @type {any} */ ({ source: side(words), target: side(written), targetInput: null, cross });
}

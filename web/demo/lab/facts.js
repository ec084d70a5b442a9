// Measurements of a model, by which the claims are checked.

/** @typedef {import('./learner.js').Learner} Learner */
/** @typedef {import('./tasks.js').Pair} Pair */
/** @typedef {import('../../lib/train/index.js').Trace} Trace */

const mean = (/** @type {number[]} */ numbers) => numbers.reduce((sum, x) => sum + x, 0) / Math.max(numbers.length, 1);

/** The place of a letter of a reversed string in the source. @param {Pair} pair @param {number} row */
const placeOf = ([source], row) => source.length - 1 - row;

/**
 * The mean of a number over all rows that write a letter, for the right answers of some pairs.
 * @param {Learner} learner
 * @param {Pair[]} pairs
 * @param {(trace: Trace, row: number, pair: Pair) => number} of
 */
async function eachRow(learner, pairs, of) {
  const all = [];
  for (const pair of pairs) {
    const trace = await learner.follow(pair);
    for (let row = 0; row < pair[1].length; ++row) all.push(of(trace, row, pair));
  }
  return mean(all);
}

/** A row of the cross attention of a head. @param {Trace} trace @param {number} row @param {number} [head] */
function crossRow({ cross }, row, head = 0) {
  const [, , rows, columns] = cross.shape;
  const at = (head * rows + row) * columns;
  return cross.data.subarray(at, at + columns);
}

export const facts = {
  /** The mean weight on the letter that a reversed string needs. @param {Learner} learner @param {Pair[]} pairs */
  onDiagonal: (learner, pairs) =>
    eachRow(learner, pairs, (trace, row, pair) => crossRow(trace, row)[placeOf(pair, row)]),

  /** The mean distance of a window's centre from that letter, in places. @param {Learner} learner @param {Pair[]} pairs */
  awayFromDiagonal: (learner, pairs) =>
    eachRow(learner, pairs, ({ window }, row, pair) => Math.abs((window?.centres[row] ?? NaN) - placeOf(pair, row))),

  /**
   * The mean weight on the letter that a copied string needs and on the next one, whose state also knows that letter.
   * @param {Learner} learner
   * @param {Pair[]} pairs
   */
  onCopied: (learner, pairs) =>
    eachRow(learner, pairs, (trace, row) => crossRow(trace, row)[row] + crossRow(trace, row)[row + 1]),

  /** The mean of the largest weight of each row. @param {Learner} learner @param {Pair[]} pairs */
  largest: (learner, pairs) => eachRow(learner, pairs, (trace, row) => Math.max(...crossRow(trace, row))),

  /** The shares of right answers for sources of at least `long` letters and for shorter ones. @param {Learner} learner @param {Pair[]} pairs @param {number} long */
  async byLength(learner, pairs, long) {
    const isLong = (/** @type {Pair} */ [source]) => source.length >= long;
    return {
      long: await learner.accuracy(pairs.filter(isLong)),
      short: await learner.accuracy(pairs.filter((pair) => !isLong(pair))),
    };
  },
};

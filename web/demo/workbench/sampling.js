// Applies temperature, top-k and top-p to a distribution, in the same order as the engine.

/**
 * @typedef {object} Sampling
 * @property {number} temperature 0: always the likeliest
 * @property {number} topK 0: all
 * @property {number} topP
 */

/**
 * @param {ArrayLike<number>} logProbs best first
 * @param {Sampling} sampling
 * @returns {Float64Array} the probability of drawing each piece; 0: it is cut off
 */
export function samplingProbabilities(logProbs, { temperature, topK, topP }) {
  const size = logProbs.length;
  const weights = Float64Array.from(logProbs, (logProb, i) =>
    temperature > 0 ? Math.exp((logProb - logProbs[0]) / temperature) : Number(i === 0),
  );
  let kept = size;
  if (topK > 0 && topK < size) {
    kept = topK; // and pieces that are as likely as the last one
    while (kept < size && weights[kept] === weights[topK - 1]) ++kept;
  }
  if (topP < 1) kept = reaching(weights, kept, topP);
  const sum = total(weights, kept);
  return weights.map((weight, i) => (i < kept ? weight / sum : 0));
}

/**
 * How many of the first weights together reach a share of the sum.
 * @param {Float64Array} weights
 * @param {number} most
 * @param {number} share
 */
function reaching(weights, most, share) {
  const wanted = share * total(weights, most);
  let [kept, reached] = [0, 0];
  while (kept < most && reached < wanted) reached += weights[kept++];
  return Math.max(kept, 1);
}

/** @param {Float64Array} weights @param {number} count */
const total = (weights, count) => weights.subarray(0, count).reduce((sum, weight) => sum + weight, 0);

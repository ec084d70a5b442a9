// The gradient of an example's loss by each attention weight, as a matrix; and a text about one of its cells.

import { formatWeight, sliceOf, weightAt } from '../../view/index.js';
import { isMasked } from '../../view/trace.js';

/** @typedef {import('../../view/trace.js').Slice} Slice */
/** @typedef {import('../../view/trace.js').Kind} Kind */
/** @typedef {{trace: any, maps: import('../../lib/train/index.js').AttentionGradient}} Gradient of the right answer */
/** @typedef {{weights: Slice, gradient: Slice}} Slices of one head */

/** @param {Gradient} found @param {{kind: Kind, layer: number, head: number}} which @returns {Slices | null} */
export function slicesOf({ trace, maps }, which) {
  const weights = sliceOf(trace, which);
  const map = maps[/** @type {'cross'} */ (which.kind)];
  const [, heads, rows, columns] = map?.shape ?? [];
  if (!weights || rows !== weights.queries.length || columns !== weights.keys.length) return null;
  const at = (which.layer * heads + which.head) * rows * columns;
  const data = map.data.subarray(at, at + rows * columns);
  return { weights, gradient: { ...weights, weights: data, window: null, signed: true, title: 'd loss / d weight' } };
}

/** d loss / d score of a cell. The softmax makes all weights of a row change with one score. @param {Slices} slices @param {number} query @param {number} key */
function scoreGradient({ weights, gradient }, query, key) {
  const mean = weights.keys.reduce(
    (sum, _, k) => sum + (isMasked(weights, query, k) ? 0 : weightAt(weights, query, k) * weightAt(gradient, query, k)),
    0,
  );
  return weightAt(weights, query, key) * (weightAt(gradient, query, key) - mean);
}

/** A number with two significant digits, also if it is small. @param {number} x */
const formatSlope = (x) => (Math.abs(x) < 1e-6 ? '0' : Number(x.toPrecision(2)).toFixed(digitsOf(x)).replace('-', '−'));
/** @param {number} x */
const digitsOf = (x) => Math.min(7, Math.max(2, 1 - Math.floor(Math.log10(Math.abs(x)))));

const kHelp =
  'Loss: −log p of the right answer, whose letters are the rows. Point at a cell for its gradient. ' +
  'Below 0: more weight there would make the answer more probable.';

/**
 * @param {Slices} slices
 * @param {import('../../view/selection.js').Place | null} place
 * @param {boolean} isHard whether the model reads only one place
 */
export function gradientText(slices, place, isHard) {
  if (place?.query == null || place.key === null || isMasked(slices.weights, place.query, place.key)) return kHelp;
  const { query, key } = place;
  const { queries, keys } = slices.weights;
  const slope = weightAt(slices.gradient, query, key);
  const said =
    `“${queries[query].text}” gives ${formatWeight(weightAt(slices.weights, query, key))} to “${keys[key].text}”. ` +
    `d loss / d weight is ${formatSlope(slope)}: more weight here would make the answer ${slope < 0 ? 'more' : 'less'} probable.`;
  if (isHard) return `${said} Training does not use it: a choice has no derivative, so the model learns from rewards.`;
  const score = scoreGradient(slices, query, key);
  return `${said} Through the softmax, d loss / d score is ${formatSlope(score)}: with this example, training ${score < 0 ? 'raises' : 'lowers'} the score.`;
}

// Two measures of a row of weights, for the lesson on the scale.

/** Entropy in nats: 0 if one key has all weight, ln n if all have the same. @param {ArrayLike<number>} weights */
export const entropy = (weights) => Array.from(weights).reduce((sum, w) => sum - (w > 0 ? w * Math.log(w) : 0), 0);

/**
 * The Frobenius norm of the softmax's Jacobian diag(a) - a a': how much the weights change with the logits.
 * @param {ArrayLike<number>} weights
 */
export function jacobianNorm(weights) {
  const list = Array.from(weights);
  const squares = list.reduce((sum, w) => sum + w * w, 0);
  const own = list.reduce((sum, w) => sum + (w - w * w) ** 2 - w ** 4, 0);
  return Math.sqrt(Math.max(0, own + squares * squares));
}

// Measures of a row of weights, for the lessons on the scale and on hard attention.

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

/**
 * The REINFORCE estimate of the gradient of the mean reward E[r] = ∑ a_j r_j by the logits: the mean over draws of (r − b)
 * times the gradient of the log-probability of the drawn key, 1[j] − a. If the shares are the softmax itself, it is exact.
 * @param {ArrayLike<number>} shares of each key among the draws
 * @param {ArrayLike<number>} weights the softmax that they are drawn from
 * @param {number[]} rewards of each key
 * @param {number} baseline
 */
export function reinforce(shares, weights, rewards, baseline) {
  const gains = rewards.map((reward, j) => shares[j] * (reward - baseline));
  const sum = gains.reduce((a, b) => a + b, 0);
  return gains.map((gain, j) => gain - weights[j] * sum);
}

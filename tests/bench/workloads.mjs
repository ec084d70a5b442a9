// The work that every engine is given, and how many operations it is: two for a multiply-add; softmax, norms and biases are
// not counted. Nothing here knows an engine.

/**
 * @typedef {object} Attention softmax(Q K' / sqrt(d)) V, not causal, or with additive scores
 * @property {'attention'} kind
 * @property {string} name
 * @property {'scaled-dot' | 'additive'} score
 * @property {number} heads
 * @property {number} dim of a head
 * @property {number} length number of queries and of keys
 * @property {number} operations of its two products, whatever the score: what is compared is time
 *
 * @typedef {object} Limit what bounds every kernel on this machine, in one host and build
 * @property {'limit'} kind
 * @property {string} name
 * @property {'product' | 'peak'} limit a product of 512 x 512 x 512, or multiply-adds from registers alone
 *
 * @typedef {Attention | Limit} Work
 */

const kHeads = 8;
const kDim = 64;

/** @param {'scaled-dot' | 'additive'} score @param {number} length @returns {Attention} */
const attention = (score, length) => ({
  kind: 'attention',
  name: `attention ${score} ${length}`,
  score,
  heads: kHeads,
  dim: kDim,
  length,
  operations: 4 * length * length * kDim * kHeads,
});

/** @type {Limit[]} */
export const limits = [
  { kind: 'limit', name: 'limit peak', limit: 'peak' },
  { kind: 'limit', name: 'limit product', limit: 'product' },
];

/** @type {Work[]} */
export const workloads = [
  ...limits,
  ...[128, 512, 1024, 2048].map((length) => attention('scaled-dot', length)),
  ...[128, 512].map((length) => attention('additive', length)),
];

/** The attention whose memory is measured. */
export const longest = attention('scaled-dot', 16384);

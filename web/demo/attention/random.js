// Random numbers from a seed, so that a link gives the same numbers again.

/** Mulberry32. @param {number} seed @returns {() => number} numbers in [0, 1) */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Normal numbers by Box and Muller. @param {number} seed @returns {() => number} */
export function normal(seed) {
  const next = uniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/**
 * Normal numbers, rounded to one decimal.
 * @param {number} seed
 * @param {number} rows
 * @param {number} columns
 * @param {number} [scale]
 */
export function randomMatrix(seed, rows, columns, scale = 1) {
  const next = normal(seed);
  const round = (/** @type {number} */ x) => Math.round(10 * scale * x) / 10 + 0;
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => round(next())));
}

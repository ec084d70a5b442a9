// Times one function, in Node and in pages.

/** @typedef {() => unknown} Run one run of some work; what it returns is awaited */

/**
 * Runs until the engine's code is final: WebAssembly is compiled twice, and the faster code arrives while the first one
 * runs.
 * @param {Run} run
 * @param {number} [milliseconds]
 */
export async function warmUp(run, milliseconds = 800) {
  const start = performance.now();
  do await run();
  while (performance.now() - start < milliseconds);
}

/**
 * Milliseconds of each run. A slow one is timed at least once.
 * @param {Run} run
 * @param {number} [milliseconds] how long to go on
 * @returns {Promise<number[]>}
 */
export async function time(run, milliseconds = 200) {
  const samples = [];
  const start = performance.now();
  for (let before = start; before - start < milliseconds; before = performance.now()) {
    await run();
    samples.push(performance.now() - before);
  }
  return samples;
}

/** The p-th part of sorted numbers. @param {number[]} sorted @param {number} p */
const quantile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))];

/** @param {number[]} samples */
export function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    runs: sorted.length,
    min: sorted[0],
    lower: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    upper: quantile(sorted, 0.75),
  };
}

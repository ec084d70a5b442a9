// How tests/bench/kernels_bench.cc calls what is measured, and what it prints.

const kLimits = { peak: 'Peak', product: 'MatMul 512 x 512 x 512' };

/** @param {import('./workloads.mjs').Work} work */
export const kernelName = (work) =>
  work.kind === 'limit' ? kLimits[work.limit] : `${work.score} ${work.length}, ${work.heads} heads of ${work.dim}`;

/**
 * @param {string} printed one line
 * @returns {{milliseconds: number[], operations: number, processor?: number}}
 */
export function readSamples(printed) {
  const lines = printed.trim().split('\n');
  if (lines.length !== 1) throw new Error(`expected one kernel of qkv_bench, got ${lines.length}`);
  const { milliseconds, operations, processor } = JSON.parse(lines[0]);
  return { milliseconds, operations, processor };
}

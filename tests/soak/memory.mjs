// How much memory a process holds.

import { readFileSync, readdirSync } from 'node:fs';

/**
 * Resident memory in bytes, as Linux counts it.
 * @param {number | 'self'} process its id
 */
export function residentBytes(process = 'self') {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process}/status`, 'utf8'));
  return 1024 * Number(kilobytes);
}

/**
 * What this process holds once what nothing refers to is gone; needs --expose-gc. V8 lets its heap of objects grow and
 * shrink as it likes: `used` is what lives there, `outside` is all other resident memory.
 * @returns {Promise<{resident: number, used: number, outside: number}>} bytes
 */
export async function ownMemory() {
  for (let round = 0; round < 3; ++round) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20)); // finalizers and freed pages
  }
  const { heapTotal, heapUsed } = process.memoryUsage();
  const resident = residentBytes();
  return { resident, used: heapUsed, outside: resident - heapTotal };
}

/** How many threads this process has. */
export const threads = () => readdirSync('/proc/self/task').length;

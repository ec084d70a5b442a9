// How much memory a process holds.

import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * Resident memory in bytes that a process allocated, as Linux counts it. The pages of a mapped file are left out: the
 * kernel takes them away and brings them back as it likes.
 * @param {number | 'self'} process its id
 */
export function residentBytes(process = 'self') {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process}/status`, 'utf8'));
  return 1024 * Number(kilobytes);
}

/**
 * The same once it no longer changes: a process may still free what its last answer needed.
 * @param {number} process
 */
export async function settledBytes(process) {
  let last = residentBytes(process);
  for (let waits = 0; waits < 50; ++waits) {
    await setTimeout(100);
    const now = residentBytes(process);
    if (now === last) break;
    last = now;
  }
  return last;
}

/**
 * What this process holds once what nothing refers to is gone; needs --expose-gc. V8 lets its heap of objects grow and
 * shrink as it likes: `used` is what lives there, `outside` is all other resident memory.
 * @returns {Promise<{resident: number, used: number, outside: number}>} bytes
 */
export async function ownMemory() {
  for (let round = 0; round < 3; ++round) {
    globalThis.gc();
    await setTimeout(20); // finalizers and freed pages
  }
  const { heapTotal, heapUsed } = process.memoryUsage();
  const resident = residentBytes();
  return { resident, used: heapUsed, outside: resident - heapTotal };
}

/** How many threads this process has. */
export const threads = () => readdirSync('/proc/self/task').length;

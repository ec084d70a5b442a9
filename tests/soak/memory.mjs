// The memory of a process.

import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * Resident memory in bytes that a process allocated, as Linux counts it. Pages of mapped files are left out, because
 * the kernel evicts and reloads them at any time.
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
 * Memory of this process after garbage collection; needs --expose-gc. V8's heap grows and shrinks at any time: `used`
 * is the size of live objects, `outside` is all other resident memory.
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

/** The number of this process's threads. */
export const threads = () => readdirSync('/proc/self/task').length;

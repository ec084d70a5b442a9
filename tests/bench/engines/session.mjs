// One engine and its current work, in Node and in pages.
//
// An engine is a module with open(host, options) -> {prepare(work, variant) -> prepared}. `prepared` has either
//   run()      one run; output() its result, where it can be compared with the other engines'; words, the number of
// words
//              in the text that it translates
//   sample()   {milliseconds, operations, excerpt}, where the engine times itself
// and may have release(). An engine that cannot do the work throws an error that says why.

import { excerpt } from '../inputs.mjs';
import { time, warmUp } from '../timing.mjs';

/**
 * @typedef {object} Host
 * @property {boolean} isNode
 * @property {(path: string) => string} url of a file of the repository, for import and fetch
 * @property {(path: string) => Promise<Uint8Array>} bytes of a file of the repository
 * @property {Record<'baseline' | 'relaxed' | 'package' | 'arrivals', string>} builds folders of the repository; `arrivals`: the
 *   URL of serveArrivals() of ../arrivals.mjs
 * @property {(path: string) => Promise<void>} script runs a classic script, for what it defines globally
 *
 * @typedef {{milliseconds: number[], operations?: number, excerpt?: number[], words?: number, processor?: number, uncounted?: number}} Samples
 * processor: milliseconds of a run, where the engine knows them itself. uncounted: runs that are not among the milliseconds
 */

/**
 * @param {Host} host
 * @param {{engine: string, options: object}} contender
 */
export async function openSession(host, { engine, options }) {
  const { open } = await import(`./${engine}.mjs`);
  const opened = await open(host, options);
  const prepared = new Map();
  return {
    /**
     * Prepares the work if it is new, and times it.
     * @param {import('../workloads.mjs').Work} work
     * @param {string} [variant]
     * @returns {Promise<Samples>}
     */
    async sample(work, variant) {
      const key = `${work.name} ${variant}`;
      if (!prepared.has(key)) prepared.set(key, await ready(await opened.prepare(work, variant)));
      const { run, sample, excerpt: first, words } = prepared.get(key);
      return sample ? sample() : { milliseconds: await time(run), excerpt: first, words };
    },
    /** Frees what was prepared. */
    async release() {
      for (const { release } of prepared.values()) await release?.();
      prepared.clear();
    },
  };
}

async function ready(prepared) {
  if (prepared.sample) {
    await prepared.sample();
    return prepared;
  }
  const first = prepared.output && excerpt(await prepared.output());
  await warmUp(prepared.run);
  return { ...prepared, excerpt: first };
}

// Rounds: every engine of a piece of work has its turn in each, so that what disturbs the machine disturbs all alike.

import { difference } from './inputs.mjs';
import { watchOthers } from './others.mjs';
import { summary } from './timing.mjs';

/** @typedef {import('./seats.mjs').Seat} Seat */
/** @typedef {import('./workloads.mjs').Work} Work */

/**
 * @typedef {object} Row what one seat needed for one piece of work, in milliseconds
 * @property {string} work
 * @property {string} host
 * @property {string} engine the seat's name
 * @property {boolean} isPeer
 * @property {number} runs
 * @property {number} min
 * @property {number} lower a quarter of the runs took no longer
 * @property {number} median
 * @property {number} upper three quarters took no longer
 * @property {number} operations
 * @property {number} [others] the share of all processors that other processes had meanwhile
 */

/** What engines may differ by: rounding, in whatever order they sum. Inputs are within 1. */
const kTolerance = 1e-4;

/** Opened engines, each once: seats that share all but the variant share a process. */
export class Bench {
  #opened = new Map();
  #hosts;

  /** @param {Record<string, {open: Function, close: Function}>} hosts */
  constructor(hosts) {
    this.#hosts = hosts;
  }

  /** @param {Seat} seat */
  #open(seat) {
    const { runsIn, engine, options, flags } = seat;
    const key = JSON.stringify({ runsIn, engine, options, flags });
    if (!this.#opened.has(key)) this.#opened.set(key, this.#hosts[runsIn].open(seat));
    return this.#opened.get(key);
  }

  /**
   * @param {Work} work
   * @param {Seat[]} seats
   * @param {number} rounds
   * @returns {Promise<Row[]>}
   */
  async measure(work, seats, rounds) {
    const taken = seats.map((seat) => ({ seat, samples: [], others: [], operations: work.operations, excerpt: null }));
    for (const each of taken) each.desk = await this.#open(each.seat);
    for (const each of taken) await turn(each, work); // prepares, warms up; not counted
    agree(taken, work);
    for (const each of taken) Object.assign(each, { samples: [], others: [] });
    for (let round = 0; round < rounds; ++round) {
      // Each round begins with another one: whoever comes after a heavy neighbour is not always the same.
      for (let i = 0; i < taken.length; ++i) await turn(taken[(i + round) % taken.length], work);
    }
    for (const desk of new Set(taken.map((each) => each.desk))) await desk.release();
    return taken.map((each) => row(each, work));
  }

  async close() {
    for (const desk of this.#opened.values()) await (await desk).close();
    for (const host of Object.values(this.#hosts)) await host.close();
  }
}

async function turn(each, work) {
  const othersSince = watchOthers();
  const { milliseconds, operations, excerpt } = await each.desk.sample(work, each.seat.variant);
  each.samples.push(...milliseconds);
  each.others.push(othersSince());
  each.operations ??= operations;
  each.excerpt = excerpt;
}

/** Times of engines that compute different things are not compared. */
function agree(taken, work) {
  const telling = taken.filter(({ excerpt }) => excerpt);
  for (const { seat, excerpt } of telling.slice(1)) {
    const far = difference(excerpt, telling[0].excerpt);
    if (!(far <= kTolerance)) {
      throw new Error(`${work.name}: ${seat.name} and ${telling[0].seat.name} differ by ${far}`);
    }
  }
}

/** @returns {Row} */
function row({ seat, samples, others, operations }, work) {
  const known = others.filter((share) => share !== undefined).toSorted((a, b) => a - b);
  return {
    work: work.name,
    host: seat.host,
    engine: seat.name,
    isPeer: seat.isPeer,
    ...summary(samples),
    operations,
    others: known[known.length >> 1],
  };
}

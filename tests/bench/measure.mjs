// Rounds: every engine of a piece of work has its turn in each, so that what disturbs the machine disturbs all alike.

import { watch } from './busy.mjs';
import { difference } from './inputs.mjs';
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
 * @property {number} [processor] what a run had of the processors: nobody else's work is in it
 * @property {number} [others] the share of all processors that other processes had meanwhile
 */

/** What engines may differ by: rounding, in whatever order they sum. Inputs are within 1. */
const kTolerance = 1e-4;

const noSamples = () => ({ samples: [], others: [], processor: [] });

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
    const taken = seats.map((seat) => ({ seat, ...noSamples(), operations: work.operations, excerpt: null }));
    for (const each of taken) each.desk = await this.#open(each.seat);
    for (const each of taken) await turn(each, work); // prepares, warms up; not counted
    agree(taken, work);
    for (const each of taken) Object.assign(each, noSamples());
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

/** Only one engine is at work during a turn: what the processes below this one do is its doing. */
async function turn(each, work) {
  const since = watch();
  const { milliseconds, operations, excerpt, processor } = await each.desk.sample(work, each.seat.variant);
  const { others, ours } = since();
  each.samples.push(...milliseconds);
  each.others.push(others);
  each.processor.push(each.seat.engine === 'kernels' ? processor : ours && (ours * 1e3) / milliseconds.length);
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

/** The median of those that are known. @param {(number | undefined)[]} values */
function median(values) {
  const known = values.filter((value) => value !== undefined).toSorted((a, b) => a - b);
  return known[known.length >> 1];
}

/** @returns {Row} */
const row = ({ seat, samples, others, processor, operations }, work) => ({
  work: work.name,
  host: seat.host,
  engine: seat.name,
  isPeer: seat.isPeer,
  ...summary(samples),
  processor: median(processor),
  operations,
  others: median(others),
});

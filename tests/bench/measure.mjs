// Rounds: in each round every engine does the work once, so that disturbances of the machine affect all engines alike.

import { watch } from './busy.mjs';
import { difference } from './inputs.mjs';
import { summary } from './timing.mjs';

/** @typedef {import('./contenders.mjs').Contender} Contender */
/** @typedef {import('./workloads.mjs').Work} Work */

/**
 * @typedef {object} Row what one contender needed for one piece of work, in milliseconds
 * @property {string} work
 * @property {string} host
 * @property {string} engine the contender's name
 * @property {import('./workloads.mjs').Precision} precision
 * @property {boolean} isPeer
 * @property {number} threads
 * @property {number} runs
 * @property {number} min
 * @property {number} lower a quarter of the runs took no longer
 * @property {number} median
 * @property {number} upper three quarters took no longer
 * @property {number} operations
 * @property {number} [words] of the text that is translated
 * @property {number} [processor] what a run had of the processors: nobody else's work is in it
 * @property {number} [others] the share of all processors that other processes had meanwhile
 *
 * @typedef {{work: string, host: string, engine: string, isPeer: boolean, error: string}} Failure
 */

// How far engines may differ. Floats differ by rounding, in whatever order they are summed. In 8 bits engines choose
// different scales for activations: one for all rows, or one for each.
const kTolerance = { f32: 1e-4, int8: 0.1 };

const noSamples = () => ({ samples: [], others: [], processor: [] });

/** Opened engines, each opened once: contenders that differ only in the variant share a process. */
export class Bench {
  #opened = new Map();
  #hosts;

  /** @param {Record<string, {open: Function, close: Function}>} hosts */
  constructor(hosts) {
    this.#hosts = hosts;
  }

  /** @param {Contender} contender */
  #open(contender) {
    const { runsIn, engine, options, flags } = contender;
    const key = JSON.stringify({ runsIn, engine, options, flags });
    if (!this.#opened.has(key)) this.#opened.set(key, this.#hosts[runsIn].open(contender));
    return this.#opened.get(key);
  }

  /**
   * @param {Work} work
   * @param {Contender[]} contenders
   * @param {number} rounds
   * @returns {Promise<(Row | Failure)[]>} a failure says why an engine does not do the work
   */
  async measure(work, contenders, rounds) {
    const all = contenders.map((contender) => ({
      contender,
      ...noSamples(),
      operations: work.operations,
      excerpt: null,
      error: null,
    }));
    for (const each of all) await attempt(each, async () => (each.session = await this.#open(each.contender)));
    for (const each of working(all)) await attempt(each, () => turn(each, work)); // prepares and warms up; not counted
    agree(working(all), work);
    for (const each of all) Object.assign(each, noSamples());
    for (let round = 0; round < rounds; ++round) {
      // Each round begins with another engine, because the one after a heavy engine is at a disadvantage.
      for (let i = 0; i < all.length; ++i) {
        const each = all[(i + round) % all.length];
        if (!each.error) await attempt(each, () => turn(each, work));
      }
    }
    for (const session of new Set(all.map((each) => each.session).filter(Boolean))) await session.release();
    return all.map((each) => (each.error ? failure(each, work) : row(each, work)));
  }

  async close() {
    for (const opening of this.#opened.values()) {
      const session = await opening.catch(() => undefined); // its rows say why it did not open
      await session?.close();
    }
    for (const host of Object.values(this.#hosts)) await host.close();
  }
}

const working = (all) => all.filter(({ error }) => !error);

/** If one engine fails, the others are still measured. */
async function attempt(each, act) {
  await act().catch((error) => {
    each.error = error;
  });
}

/** Only one engine works during a turn, so the processes below this one are its own. */
async function turn(each, work) {
  const since = watch();
  const {
    milliseconds,
    operations,
    excerpt,
    processor,
    words,
    uncounted = 0,
  } = await each.session.sample(work, each.contender.variant);
  const { others, ours } = since();
  each.samples.push(...milliseconds);
  each.others.push(others);
  each.processor.push(processor ?? (ours && (ours * 1e3) / (milliseconds.length + uncounted)));
  each.operations ??= operations;
  each.words = words;
  each.excerpt = excerpt;
}

/** Times of engines that compute different results are not compared. */
function agree(taken, work) {
  const telling = taken.filter(({ excerpt }) => excerpt);
  for (const { contender, excerpt } of telling.slice(1)) {
    const far = difference(excerpt, telling[0].excerpt);
    if (!(far <= (work.tolerance ?? kTolerance[work.precision]))) {
      throw new Error(`${work.name}: ${contender.name} and ${telling[0].contender.name} differ by ${far}`);
    }
  }
}

/**
 * The median of the known values. @param {(number
 * undefined)[]} values
 */
function median(values) {
  const known = values.filter((value) => value !== undefined).toSorted((a, b) => a - b);
  return known[known.length >> 1];
}

const nameOf = ({ host, name, isPeer }, work) => ({ work: work.name, host, engine: name, isPeer });

/** @returns {Row} */
const row = ({ contender, samples, others, processor, operations, words }, work) => ({
  ...nameOf(contender, work),
  precision: work.precision,
  threads: contender.options.threads ?? 1,
  ...summary(samples),
  processor: median(processor),
  operations,
  ...(words && { words }),
  others: median(others),
});

/** @returns {Failure} */
const failure = ({ contender, error }, work) => ({
  ...nameOf(contender, work),
  error: String(error?.message ?? error).split('\n')[0],
});

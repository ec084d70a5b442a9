// A model that learns while it is watched: it trains a slice at a time, is measured at certain steps, and keeps what is
// needed to go back. It does not depend on a page, so tests run it as the page does.

import { Trainer } from '../../lib/train/index.js';
import { configOf } from './models.js';
import { createPointer } from './pointer.js';
import { Snapshots } from './snapshots.js';

/** @typedef {import('../../lib/train/index.js').Trace} Trace */
/** @typedef {import('./models.js').ModelChoice} ModelChoice */
/** @typedef {import('./tasks.js').Data} Data */

/**
 * @typedef {object} Point of the curves
 * @property {number} step
 * @property {number} loss nats a piece, the mean since the point before
 * @property {number} accuracy the share of the unseen sources whose whole answer is right
 */

/**
 * The output of the model for an example.
 * @typedef {{source: string, wanted: string, written: string, trace: Trace}} Shown
 */

/** Steps between two measurements: few at first, when much happens. @param {number} step */
export const measuredAfter = (step) => (step < 100 ? 20 : step < 400 ? 50 : 100);

const kSlice = 120; // milliseconds of steps between two chances to be asked

/**
 * A trainer, and how it is asked.
 * @typedef {object} Asked
 * @property {Trainer | import('../../lib/train/index.js').PointerTrainer} trainer
 * @property {(source: string) => Promise<string>} write
 * @property {(pair: import('./tasks.js').Pair) => Promise<Shown>} show
 */

/** @param {ModelChoice} choice @param {Data} data @param {How} how @returns {Promise<Asked>} */
async function createSequence(choice, data, { seed, rate, worker }) {
  const longest = Math.max(...[...data.pairs, ...data.unseen].flat().map((text) => text.length)) + 2;
  const config = configOf(choice, { seed, rate, longest: Math.min(Math.max(longest, 16), 128) });
  const trainer = await Trainer.create({ pairs: data.pairs, config, worker });
  return {
    trainer,
    write: (source) => trainer.translate(source),
    show: async ([source, wanted]) => {
      const trace = await trainer.trace(source);
      return { source, wanted, written: trace.target.text, trace };
    },
  };
}

/** @typedef {{seed: number, rate: number, worker?: boolean}} How */

export class Learner {
  /** @type {Point[]} */
  points = [];
  snapshots = new Snapshots();
  choice;
  #data;
  #asked;
  #trainer;
  #step = 0;
  #sum = 0;
  #counted = 0;
  #speed = 0;

  /** @param {Asked} asked @param {ModelChoice} choice @param {Data} data */
  constructor(asked, choice, data) {
    this.#asked = asked;
    this.#trainer = asked.trainer;
    this.#data = data;
    this.choice = choice;
  }

  /** @param {ModelChoice} choice @param {Data} data @param {How} how */
  static async create(choice, data, how) {
    const make = choice.kind === 'pointer' ? createPointer : createSequence;
    return new Learner(await make(choice, data, how), choice, data);
  }

  get step() {
    return this.#step;
  }
  /** Steps a second, lately. */
  get speed() {
    return this.#speed;
  }
  get info() {
    return this.#trainer.info;
  }

  /** Measures and keeps the first state. */
  async begin() {
    await this.#measure(NaN);
  }

  /**
   * Trains until it is time to measure, to the step `until`, or for a slice of time. Measurements come at the same steps however
   * long slices are, so curves repeat.
   * @param {number} [until]
   */
  async advance(until = Infinity) {
    const last = this.points.at(-1)?.step ?? 0;
    const next = Math.min(last + measuredAfter(last), until);
    const left = next - this.#step;
    if (left <= 0) return;
    /** @type {import('../../lib/train/index.js').Progress | undefined} */
    let progress;
    await this.#trainer.run({
      steps: left,
      interval: kSlice,
      onProgress: (made) => {
        progress = made;
        this.#trainer.pause();
      },
    });
    if (!progress) return;
    this.#step = progress.step;
    this.#sum += progress.loss * progress.pieces;
    this.#counted += progress.pieces;
    this.#speed = (1000 * progress.steps) / progress.milliseconds;
    if (this.#step === last + measuredAfter(last)) await this.#measure(this.#sum / this.#counted);
  }

  /** @param {number} loss */
  async #measure(loss) {
    this.#sum = this.#counted = 0;
    this.points.push({ step: this.#step, loss, accuracy: await this.accuracy() });
    this.snapshots.keep(this.#step, await this.#trainer.checkpoint());
  }

  /** Of the unseen pairs, or of others. @param {import('./tasks.js').Pair[]} [pairs] */
  async accuracy(pairs = this.#data.unseen) {
    let right = 0;
    for (const [source, target] of pairs) right += (await this.write(source)) === target ? 1 : 0;
    return right / pairs.length;
  }

  /** @param {string} source */
  write(source) {
    return this.#asked.write(source);
  }

  /** @param {import('./tasks.js').Pair} pair */
  show(pair) {
    return this.#asked.show(pair);
  }

  /** The trace of the answer that is right. @param {import('./tasks.js').Pair} pair */
  follow([source, target]) {
    if (!(this.#trainer instanceof Trainer)) throw new Error('a pointer network follows nothing');
    return this.#trainer.trace({ source, target });
  }

  /**
   * The right answer's trace, and how its loss changes with each attention weight. @param {import('./tasks.js').Pair} pair
   * @returns {Promise<import('./gradient.js').Gradient | null>} null of a pointer network
   */
  async gradient(pair) {
    if (!(this.#trainer instanceof Trainer)) return null;
    const [source, target] = pair;
    return { trace: await this.follow(pair), maps: await this.#trainer.attentionGradient({ source, target }) };
  }

  /** @param {number} rate */
  setRate(rate) {
    return this.#trainer.setLearningRate(rate);
  }

  /** Training goes on from the snapshot of a step; later snapshots are dropped. @param {number} step */
  async goBack(step) {
    const checkpoint = this.snapshots.at(step);
    if (!checkpoint) throw new Error(`step ${step} was not kept`);
    await this.#trainer.restore(checkpoint);
    this.#step = step;
    this.#sum = this.#counted = 0;
    this.points = this.points.filter((point) => point.step <= step);
    this.snapshots.forgetAfter(step);
  }

  /**
   * Calls a function while the model is as it was at a step, and then returns to where it is.
   * @template Result
   * @param {number} step
   * @param {() => Promise<Result>} read
   */
  async atStep(step, read) {
    const checkpoint = this.snapshots.at(step);
    if (!checkpoint) throw new Error(`step ${step} was not kept`);
    const now = await this.#trainer.checkpoint();
    await this.#trainer.restore(checkpoint);
    try {
      return await read();
    } finally {
      await this.#trainer.restore(now);
    }
  }

  /** The model's folder. */
  files() {
    return this.#trainer.files();
  }

  /** The state, to compare two runs by. */
  checkpoint() {
    return this.#trainer.checkpoint();
  }

  destroy() {
    this.#trainer.destroy();
  }
}

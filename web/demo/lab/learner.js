// A model that learns while the reader watches. It trains for a slice of time, is measured at certain steps, and keeps
// snapshots to go back to. It does not depend on a page, so tests run it as the page does.

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
 * @property {number} loss nats for each piece: the mean since the previous point
 * @property {number} accuracy the share of unseen sources whose answer has no mistake
 */

/**
 * The output of the model for an example.
 * @typedef {{source: string, wanted: string, written: string, trace: Trace}} Shown
 */

/** The number of steps until the next measurement: few at first, when much changes. @param {number} step */
export const measuredAfter = (step) => (step < 100 ? 20 : step < 400 ? 50 : 100);

const kSlice = 120; // milliseconds of training, after which other calls can run

/**
 * A trainer, and how it writes and shows an answer.
 * @typedef {object} TrainedModel
 * @property {Trainer | import('../../lib/train/index.js').PointerTrainer} trainer
 * @property {(source: string) => Promise<string>} write
 * @property {(pair: import('./tasks.js').Pair) => Promise<Shown>} show
 */

/** @param {ModelChoice} choice @param {Data} data @param {TrainingOptions} options @returns {Promise<TrainedModel>} */
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

/** @typedef {{seed: number, rate: number, worker?: boolean}} TrainingOptions */

export class Learner {
  /** @type {Point[]} */
  points = [];
  snapshots = new Snapshots();
  choice;
  #data;
  #model;
  #trainer;
  #step = 0;
  /** The sum of the loss since the last measurement, and the number of its pieces. */
  #sum = 0;
  #counted = 0;
  #speed = 0;

  /** @param {TrainedModel} model @param {ModelChoice} choice @param {Data} data */
  constructor(model, choice, data) {
    this.#model = model;
    this.#trainer = model.trainer;
    this.#data = data;
    this.choice = choice;
  }

  /** @param {ModelChoice} choice @param {Data} data @param {TrainingOptions} options */
  static async create(choice, data, options) {
    const make = choice.kind === 'pointer' ? createPointer : createSequence;
    return new Learner(await make(choice, data, options), choice, data);
  }

  get step() {
    return this.#step;
  }
  /** Steps per second, in the last slice. */
  get speed() {
    return this.#speed;
  }
  get info() {
    return this.#trainer.info;
  }

  /** Measures the first state and keeps it. */
  async begin() {
    await this.#measure(NaN);
  }

  /**
   * Trains until the next measurement, until the step `until`, or for a slice of time. The measured steps do not depend on the
   * length of slices, so curves can be repeated.
   * @param {number} [until]
   */
  async advance(until = Infinity) {
    // The steps until the next measurement.
    const last = this.points.at(-1)?.step ?? 0;
    const next = Math.min(last + measuredAfter(last), until);
    const left = next - this.#step;
    if (left <= 0) return;
    // Trains for a slice of time.
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
    // Measures, if the slice reached that step.
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

  /** The share of right answers for the unseen pairs, or for others. @param {import('./tasks.js').Pair[]} [pairs] */
  async accuracy(pairs = this.#data.unseen) {
    let right = 0;
    for (const [source, target] of pairs) right += (await this.write(source)) === target ? 1 : 0;
    return right / pairs.length;
  }

  /** @param {string} source */
  write(source) {
    return this.#model.write(source);
  }

  /** @param {import('./tasks.js').Pair} pair */
  show(pair) {
    return this.#model.show(pair);
  }

  /** The trace of the right answer. @param {import('./tasks.js').Pair} pair */
  follow([source, target]) {
    if (!(this.#trainer instanceof Trainer)) throw new Error('a pointer network has no trace of a given answer');
    return this.#trainer.trace({ source, target });
  }

  /**
   * The trace of the right answer, and the gradient of its loss by each attention weight.
   * @param {import('./tasks.js').Pair} pair
   * @returns {Promise<import('./gradient.js').Gradient | null>} null: the model is a pointer network
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

  /** Returns to the snapshot of a step, from which training continues. Later snapshots are removed. @param {number} step */
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
   * Calls a function with the model as it was at a step. Then the model is as it was before the call.
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

  /** The files of the model's folder. */
  files() {
    return this.#trainer.files();
  }

  /** The state of the training, by which two runs can be compared. */
  checkpoint() {
    return this.#trainer.checkpoint();
  }

  destroy() {
    this.#trainer.destroy();
  }
}

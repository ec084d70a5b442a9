// Keeps the states of a training by their steps, in limited memory. If there are too many, every second one is removed.

/** @typedef {import('../../lib/train/index.js').Checkpoint} Checkpoint */

const kMemory = 48e6; // bytes
const kMost = 64;

export class Snapshots {
  /** In the order of their steps. @type {{step: number, checkpoint: Checkpoint}[]} */
  #kept = [];
  #memory;

  /** @param {number} [memory] the most bytes; the first and the last state are always kept */
  constructor(memory = kMemory) {
    this.#memory = memory;
  }

  /** The steps whose states are kept. */
  get steps() {
    return this.#kept.map(({ step }) => step);
  }

  get bytes() {
    return this.#kept.reduce((sum, { checkpoint }) => sum + checkpoint.tensors.byteLength, 0);
  }

  /** @param {number} step after all kept steps @param {Checkpoint} checkpoint */
  keep(step, checkpoint) {
    this.#kept.push({ step, checkpoint });
    while (this.#kept.length > 2 && (this.#kept.length > kMost || this.bytes > this.#memory)) {
      const last = this.#kept.length - 1;
      this.#kept = this.#kept.filter((_, i) => i % 2 === 0 || i === last);
      if (this.#kept.length === 3 && this.bytes > this.#memory) this.#kept.splice(1, 1);
    }
  }

  /** @param {number} step */
  at(step) {
    return this.#kept.find((one) => one.step === step)?.checkpoint ?? null;
  }

  /** The nearest kept step. @param {number} step */
  nearest(step) {
    const [first, ...others] = this.steps;
    return others.reduce((best, one) => (Math.abs(one - step) < Math.abs(best - step) ? one : best), first);
  }

  /** @param {number} step */
  forgetAfter(step) {
    this.#kept = this.#kept.filter((one) => one.step <= step);
  }
}

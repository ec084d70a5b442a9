// The controls of a generator: the options by which the next piece is drawn.

import { make, slider } from '../shared/dom.js';

/**
 * @typedef {object} SamplingOptions
 * @property {number} temperature
 * @property {number} topK 0: all pieces
 * @property {number} topP
 * @property {number} seed
 */

const kTopK = [0, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The number of seeds. */
export const kSeeds = 10_000;

/** @type {SamplingOptions} */
export const kDefaultSampling = { temperature: 0.7, topK: 0, topP: 1, seed: 11 };

/** Dispatches `change`. */
export class SamplingControls extends EventTarget {
  #sampling = { ...kDefaultSampling };
  #sliders;
  #seed;

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    // A slider for each option. The slider of top-k moves through a list, because its numbers grow by factors.
    const of = (/** @type {keyof SamplingOptions} */ name) => (/** @type {number} */ value) =>
      this.#set({ [name]: value });
    const temperature = slider(
      'temperature',
      { min: 0, max: 2, step: 0.05, say: (t) => t.toFixed(2) },
      of('temperature'),
    );
    const topK = slider(
      'top-k',
      { min: 0, max: kTopK.length - 1, step: 1, say: (i) => String(kTopK[i] || 'all') },
      (i) => this.#set({ topK: kTopK[i] }),
    );
    const topP = slider(
      'top-p',
      { min: 0.05, max: 1, step: 0.05, say: (p) => (p < 1 ? p.toFixed(2) : 'all') },
      of('topP'),
    );
    this.#sliders = { temperature, topK, topP };
    this.#seed = make('input', { type: 'number', min: 0, max: kSeeds - 1, step: 1, name: 'seed' });
    this.#seed.addEventListener('change', () => this.#set({ seed: seedOf(this.#seed.value) }));
    const seed = make('label.seed', {}, make('span', {}, 'seed'), this.#seed);
    root.append(temperature.node, topK.node, topP.node, seed);
    this.#show();
  }

  get sampling() {
    return this.#sampling;
  }
  set sampling(sampling) {
    this.#sampling = { ...sampling };
    this.#show();
  }

  /** @param {Partial<SamplingOptions>} change */
  #set(change) {
    this.sampling = { ...this.#sampling, ...change };
    this.dispatchEvent(new Event('change'));
  }

  #show() {
    const { temperature, topK, topP, seed } = this.#sampling;
    this.#sliders.temperature.set(temperature);
    this.#sliders.topK.set(
      Math.max(
        0,
        kTopK.findLastIndex((k) => k <= topK),
      ),
    );
    this.#sliders.topP.set(topP);
    this.#seed.value = String(seed);
  }
}

/** Reads the options from an address. @param {URLSearchParams} params @returns {SamplingOptions} */
export function readSampling(params) {
  const number = (
    /** @type {string} */ name,
    /** @type {number} */ otherwise,
    /** @type {number} */ least,
    /** @type {number} */ most,
  ) => {
    const text = params.get(name);
    const value = text === null || text.trim() === '' ? NaN : Number(text);
    return value >= least && value <= most ? value : otherwise;
  };
  const topK = number('top-k', kDefaultSampling.topK, 0, 1000);
  return {
    temperature: number('temperature', kDefaultSampling.temperature, 0, 2),
    topK: kTopK.includes(topK) ? topK : kDefaultSampling.topK,
    topP: number('top-p', kDefaultSampling.topP, 0.05, 1),
    seed: seedOf(params.get('seed') ?? String(kDefaultSampling.seed)),
  };
}

/** @param {URLSearchParams} params @param {SamplingOptions} sampling */
export function writeSampling(params, { temperature, topK, topP, seed }) {
  if (temperature !== kDefaultSampling.temperature) params.set('temperature', String(temperature));
  if (topK !== kDefaultSampling.topK) params.set('top-k', String(topK));
  if (topP !== kDefaultSampling.topP) params.set('top-p', String(topP));
  if (seed !== kDefaultSampling.seed) params.set('seed', String(seed));
}

/** @param {string} text */
const seedOf = (text) => (/^\d{1,4}$/.test(text) ? Number(text) : kDefaultSampling.seed);

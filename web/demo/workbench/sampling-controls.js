// The knobs of a generator: the options of drawing the next piece.

import { make, slider } from '../shared/dom.js';

/**
 * @typedef {object} Draw
 * @property {number} temperature
 * @property {number} topK 0: from all
 * @property {number} topP
 * @property {number} seed
 */

const kTopK = [0, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The number of seeds. */
export const kSeeds = 10_000;

/** @type {Draw} */
export const kUsual = { temperature: 0.7, topK: 0, topP: 1, seed: 11 };

/** Dispatches `change`. */
export class SamplingControls extends EventTarget {
  #draw = { ...kUsual };
  #sliders;
  #seed;

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    // A slider for each option. That of top-k has places instead of numbers, because the numbers grow by factors.
    const of = (/** @type {keyof Draw} */ name) => (/** @type {number} */ value) => this.#turn({ [name]: value });
    const temperature = slider(
      'temperature',
      { min: 0, max: 2, step: 0.05, say: (t) => t.toFixed(2) },
      of('temperature'),
    );
    const topK = slider(
      'top-k',
      { min: 0, max: kTopK.length - 1, step: 1, say: (i) => String(kTopK[i] || 'all') },
      (i) => this.#turn({ topK: kTopK[i] }),
    );
    const topP = slider(
      'top-p',
      { min: 0.05, max: 1, step: 0.05, say: (p) => (p < 1 ? p.toFixed(2) : 'all') },
      of('topP'),
    );
    this.#sliders = { temperature, topK, topP };
    this.#seed = make('input', { type: 'number', min: 0, max: kSeeds - 1, step: 1, name: 'seed' });
    this.#seed.addEventListener('change', () => this.#turn({ seed: whole(this.#seed.value) }));
    const seed = make('label.seed', {}, make('span', {}, 'seed'), this.#seed);
    root.append(temperature.node, topK.node, topP.node, seed);
    this.#show();
  }

  get draw() {
    return this.#draw;
  }
  set draw(draw) {
    this.#draw = { ...draw };
    this.#show();
  }

  /** @param {Partial<Draw>} change */
  #turn(change) {
    this.draw = { ...this.#draw, ...change };
    this.dispatchEvent(new Event('change'));
  }

  #show() {
    const { temperature, topK, topP, seed } = this.#draw;
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

/** Reads the knobs from an address. @param {URLSearchParams} params @returns {Draw} */
export function readDraw(params) {
  const number = (
    /** @type {string} */ name,
    /** @type {number} */ usual,
    /** @type {number} */ least,
    /** @type {number} */ most,
  ) => {
    const text = params.get(name);
    const value = text === null || text.trim() === '' ? NaN : Number(text);
    return value >= least && value <= most ? value : usual;
  };
  const topK = number('top-k', kUsual.topK, 0, 1000);
  return {
    temperature: number('temperature', kUsual.temperature, 0, 2),
    topK: kTopK.includes(topK) ? topK : kUsual.topK,
    topP: number('top-p', kUsual.topP, 0.05, 1),
    seed: whole(params.get('seed') ?? String(kUsual.seed)),
  };
}

/** @param {URLSearchParams} params @param {Draw} draw */
export function writeDraw(params, { temperature, topK, topP, seed }) {
  if (temperature !== kUsual.temperature) params.set('temperature', String(temperature));
  if (topK !== kUsual.topK) params.set('top-k', String(topK));
  if (topP !== kUsual.topP) params.set('top-p', String(topP));
  if (seed !== kUsual.seed) params.set('seed', String(seed));
}

/** @param {string} text */
const whole = (text) => (/^\d{1,4}$/.test(text) ? Number(text) : kUsual.seed);

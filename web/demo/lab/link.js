// Reads and writes the Lab's address: the task, the models and the seed.

import { kDefaults, scores, windows } from './models.js';
import { presets } from './presets.js';
import { tasks } from './tasks.js';

/** @typedef {import('./models.js').ModelChoice} ModelChoice */

/**
 * @typedef {object} Setup
 * @property {string} task of `tasks`, or 'own'
 * @property {[number, number] | undefined} lengths
 * @property {number} seed
 * @property {number} rate
 * @property {ModelChoice[]} models one or two
 * @property {string | null} preset the experiment; null: none
 * @property {string} own the reader's pairs, for the task 'own'
 */

export const widths = [16, 32, 48, 64, 96];
export const layerCounts = [1, 2, 3];
export const headCounts = [1, 2, 4, 8];
export const rates = [0.0005, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.008, 0.01, 0.02];

const kLongestOwn = 2000; // the most characters of own pairs in an address
const kSeeds = 1e6;

/** @param {import('./presets.js').Preset} preset @returns {Setup} */
export const setupOf = ({ id, task, lengths, seed, rate, models }) => ({
  ...{ task, lengths, seed, rate, models, own: '' },
  preset: id,
});

/** A choice in an address: "luong.48.general.global", "transformer.48.2.4.noscale". @param {ModelChoice} choice */
export function writeChoice({ kind, width, layers = 1, heads = 1, score, window, selection, positions, scaled }) {
  if (kind === 'luong') return [kind, width, score, window, ...(selection ? [selection] : [])].join('.');
  if (kind !== 'transformer') return [kind, width].join('.');
  const without = [...(positions === false ? ['nopositions'] : []), ...(scaled === false ? ['noscale'] : [])];
  return [kind, width, layers, heads, ...without].join('.');
}

/** @param {string} text @returns {ModelChoice | null} null: it is malformed */
export function readChoice(text) {
  const [kind, width, ...more] = text.split('.');
  const usual = Object.hasOwn(kDefaults, kind) ? kDefaults[kind] : null;
  if (!usual || !widths.includes(Number(width))) return null;
  const choice = { ...usual, width: Number(width) };
  // Luong's model has a score, a window and perhaps a selection.
  if (kind === 'luong') {
    const [score, window, selection] = more;
    const isHard = selection === 'hard' && window === 'global';
    const known = scores.some((one) => one === score) && windows.some((one) => one === window);
    if (!known || (selection !== undefined && !isHard)) return null;
    return /** @type {ModelChoice} */ ({ ...choice, score, window, ...(isHard && { selection }) });
  }
  if (kind !== 'transformer') return choice;
  // A Transformer has layers, heads, and parts that it lacks.
  const [layers, heads, ...without] = more;
  if (!layerCounts.includes(Number(layers)) || !headCounts.includes(Number(heads))) return null;
  return {
    ...choice,
    ...{ layers: Number(layers), heads: Number(heads) },
    ...(without.includes('nopositions') && { positions: false }),
    ...(without.includes('noscale') && { scaled: false }),
  };
}

/** @param {Setup} setup @returns {string} a hash that begins with '#' */
export function writeLink({ task, lengths, seed, rate, models, preset, own }) {
  if (preset) return `#experiment=${preset}`;
  const params = new URLSearchParams({ task, seed: String(seed), rate: String(rate) });
  if (lengths) params.set('lengths', lengths.join('-'));
  models.forEach((choice, i) => params.set(i === 0 ? 'model' : 'other', writeChoice(choice)));
  if (task === 'own' && own.length <= kLongestOwn) params.set('pairs', own);
  return `#${params}`;
}

/** @param {string} hash @returns {Setup} the first experiment if the address has no valid setup */
export function readLink(hash) {
  // An experiment by its name.
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const first = setupOf(presets.find(({ id }) => id === params.get('experiment')) ?? presets[0]);
  const task = params.get('task');
  if (task === null || (task !== 'own' && !Object.hasOwn(tasks, task))) return first;
  // A task with models; a missing or malformed part has its default.
  const number = (/** @type {string} */ name, /** @type {number} */ most, /** @type {number} */ otherwise) => {
    const value = Number(params.get(name) ?? NaN);
    return value > 0 && value <= most ? value : otherwise;
  };
  const models = ['model', 'other'].flatMap((name) => readChoice(params.get(name) ?? '') ?? []);
  const [least, most] = (params.get('lengths') ?? '').split('-').map(Number);
  const free = task === 'own' ? undefined : tasks[task].lengths;
  const fits =
    free && Number.isInteger(least) && least >= free[0] && Number.isInteger(most) && most >= least && most <= 24;
  return {
    task,
    lengths: fits ? [least, most] : free,
    seed: Math.floor(number('seed', kSeeds, 1)) || 1,
    rate: number('rate', 1, 0.005),
    models: models.length > 0 ? models : [kDefaults.bahdanau],
    preset: null,
    own: (params.get('pairs') ?? '').slice(0, kLongestOwn),
  };
}

/** A message about what the address has. @param {Setup} setup */
export function linkMessage({ task, own }) {
  const isLong = task === 'own' && own.length > kLongestOwn;
  const pairs = isLong ? ' Your pairs are too long for the address: send them too.' : '';
  return `The address of this page has the task, the models and the seed.${pairs}`;
}

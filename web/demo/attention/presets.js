// The lessons. Each has a state of the page, an equation, its papers and usually a picture. Its texts are in texts/.

import { additive } from './presets/additive.js';
import { bank } from './presets/bank.js';
import { block } from './presets/block.js';
import { bottleneck } from './presets/bottleneck.js';
import { compare } from './presets/compare.js';
import { decoder } from './presets/decoder.js';
import { dense } from './presets/dense.js';
import { distances } from './presets/distances.js';
import { hard } from './presets/hard.js';
import { heads } from './presets/heads.js';
import { kernel } from './presets/kernel.js';
import { limits } from './presets/limits.js';
import { linear } from './presets/linear.js';
import { local } from './presets/local.js';
import { luong } from './presets/luong.js';
import { masks } from './presets/masks.js';
import { playground } from './presets/playground.js';
import { pointer } from './presets/pointer.js';
import { positions } from './presets/positions.js';
import { reach } from './presets/reach.js';
import { readers } from './presets/readers.js';
import { saliency } from './presets/saliency.js';
import { scale } from './presets/scale.js';
import { shapes } from './presets/shapes.js';
import { sinks } from './presets/sinks.js';
import { sparse } from './presets/sparse.js';
import { firstState } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./compute.js').Result} Result */

/**
 * The picture of a lesson.
 * @typedef {object} Scene
 * @property {HTMLElement} node
 * @property {(state: State, result: Result | null, error: Error | null) => void | Promise<void>} show
 */

/**
 * What a scene can do with the page.
 * @typedef {object} Workbench
 * @property {(patch: Partial<State>) => void} change
 * @property {(patch: Partial<State>) => void} open the same as `change`, and clears the highlight
 * @property {() => State} state
 */

/**
 * @typedef {object} Preset
 * @property {string} id
 * @property {string[]} equations
 * @property {(state: State) => string[]} [equationsOf] the equations of a state, if they depend on the choices;
 *   `equations` are those of the first state
 * @property {{text: string, href: string}[]} papers
 * @property {() => Partial<State>} state the differences from `firstState`
 * @property {(workbench: Workbench) => Scene} [scene]
 */

/** @type {Preset[]} */
export const presets = [
  playground,
  kernel,
  bank,
  shapes,
  bottleneck,
  additive,
  compare,
  scale,
  luong,
  local,
  sinks,
  hard,
  sparse,
  saliency,
  pointer,
  dense,
  reach,
  linear,
  heads,
  positions,
  distances,
  masks,
  block,
  decoder,
  readers,
  limits,
];

/** @param {string} id */
export const presetOf = (id) => presets.find((preset) => preset.id === id) ?? null;

/** @param {string} id @returns {State} */
export function stateOfPreset(id) {
  const preset = presetOf(id) ?? presets[0];
  return { ...firstState(), ...preset.state(), preset: preset.id };
}

// The engine's lists of scores, selections and windows.
import { withEngine } from './engine.js';

/**
 * @typedef {object} ScoreParameter
 * @property {string} name as in the equation
 * @property {[string, string]} shape its rows and columns: '1', 'queryDim', 'keyDim', 'queryDim + keyDim', 'hidden' (any
 *   number, the same for all parameters of a score), 'keys or more', 'valueDim', '2r + 1' (odd) or '1 or 2'
 * @property {boolean} optional
 */

/**
 * @typedef {object} ScoreInfo
 * @property {import('./options.js').ScoreName} name
 * @property {string} equation of a query q, a key k and the parameters
 * @property {string} source the paper
 * @property {boolean} sameDims whether queries and keys must have the same size
 * @property {ScoreParameter[]} parameters
 */

/**
 * Every score function, with its equation, its paper and its parameters.
 * @returns {Promise<ScoreInfo[]>} rejects as `loadAttention` does
 */
export async function scores() {
  return withEngine((wasm) => /** @type {ScoreInfo[]} */ (wasm.scoreList()));
}

/**
 * The names of all selections.
 * @returns {Promise<import('./options.js').SelectionName[]>} rejects as `loadAttention` does
 */
export async function selections() {
  return withEngine((wasm) => /** @type {import('./options.js').SelectionName[]} */ (wasm.selectionNames()));
}

/**
 * The names of all windows.
 * @returns {Promise<import('./options.js').WindowName[]>} rejects as `loadAttention` does
 */
export async function windows() {
  return withEngine((wasm) => /** @type {import('./options.js').WindowName[]} */ (wasm.windowNames()));
}

// The entry point 'qkv/attention': the attention family without models. An import does nothing. The first call loads the
// engine into the calling thread.

import { learned, rotary, rotation, sinusoidal } from './positions.js';

export { QkvError } from '../base/errors.js';
export { attention } from './attention.js';
export { attentionGradient } from './gradient.js';
export { loadAttention } from './engine.js';
export { linearAttention } from './linear.js';
export { scores, selections, windows } from './lists.js';
export { multiHeadAttention } from './multi-head.js';

/** Positional encodings and rotations. */
export const positions = { sinusoidal, rotation, rotary, learned };

/** @typedef {import('../base/errors.js').QkvErrorCode} QkvErrorCode */
/** @typedef {import('./lists.js').ScoreInfo} ScoreInfo */
/** @typedef {import('./lists.js').ScoreParameter} ScoreParameter */
/**
 * @template {import('./options.js').Recorded} [R=import('./options.js').Recorded]
 * @typedef {import('./options.js').Choices<R>} Choices
 */
/** @typedef {import('./gradient.js').Gradients} Gradients */
/** @typedef {import('./gradient.js').GradientOptions} GradientOptions */
/** @typedef {import('./linear.js').LinearState} LinearState */
/** @typedef {import('./options.js').LayerMemory} LayerMemory */
/** @typedef {import('./options.js').Layer} Layer */
/** @typedef {import('./options.js').MaskOptions} MaskOptions */
/** @typedef {import('./options.js').Recorded} Recorded */
/** @typedef {import('./options.js').Records} Records */
/** @typedef {import('./options.js').ScoreName} ScoreName */
/** @typedef {import('./options.js').SelectionName} SelectionName */
/** @typedef {import('./options.js').Tensor} Tensor */
/** @typedef {import('./options.js').TensorLike} TensorLike */
/** @typedef {import('./options.js').WindowName} WindowName */
/** @typedef {import('./options.js').WindowOptions} WindowOptions */
/** @typedef {import('./positions.js').PairLayout} PairLayout */

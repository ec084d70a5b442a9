// The two kinds of models that an engine trains, with the same functions.

/** @typedef {import('../engine/guard.js').GuardedModule} GuardedModule */
/** @typedef {import('./train-engine.js').Checkpoint} Checkpoint */

/**
 * A step's report. `loss` is a sum over `pieces`.
 * @typedef {{step: number, loss: number, pieces: number, tokens: number, rate: number, gradient: number, finite: boolean}} Step
 */

/**
 * @typedef {object} Learner
 * @property {() => Step} step
 * @property {(rate: number) => void} rate
 * @property {() => number} measure
 * @property {() => Checkpoint} save
 * @property {(checkpoint: Checkpoint) => void} restore
 * @property {() => Record<string, Uint8Array>} files
 */

/** A model from sequences to sequences. @param {GuardedModule} module @param {number} handle @returns {Learner} */
export const sequenceKind = (module, handle) => ({
  step: () => module.trainerStep(handle),
  rate: (rate) => module.trainerRate(handle, rate),
  measure: () => module.trainerMeasure(handle),
  save: () => module.trainerSave(handle),
  restore: ({ place, tensors }) => module.trainerLoad(handle, place, tensors),
  files: () => module.trainerFiles(handle),
});

/** A pointer network. The `place` of its checkpoint is the number of its steps. @param {GuardedModule} module @param {number} handle @returns {Learner} */
export const pointerKind = (module, handle) => ({
  step: () => ({ ...module.pointerStep(handle), pieces: 1, tokens: 0 }),
  rate: (rate) => module.pointerRate(handle, rate),
  measure: () => module.pointerMeasure(handle),
  save: () => {
    const { step, tensors } = module.pointerSave(handle, true);
    return { place: JSON.stringify({ step }), tensors };
  },
  restore: ({ place, tensors }) => module.pointerLoad(handle, tensors, stepOf(place), true),
  files: () => ({ 'model.safetensors': module.pointerSave(handle, false).tensors }),
});

/** @param {string} place */
function stepOf(place) {
  try {
    const { step } = JSON.parse(place);
    return Number.isInteger(step) && step >= 0 ? step : 0;
  } catch {
    return 0;
  }
}

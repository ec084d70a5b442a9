// The entry point 'qkv/train'. An import does nothing. Trainer.create() loads the build that trains.

export { QkvError } from '../base/errors.js';
export { PointerTrainer } from './pointer-trainer.js';
export { Trainer } from './trainer.js';

/** @typedef {import('../base/errors.js').QkvErrorCode} QkvErrorCode */
/** @typedef {import('./train-engine.js').Checkpoint} Checkpoint */
/** @typedef {import('./trainer.js').AttentionGradient} AttentionGradient */
/** @typedef {import('./pointer-trainer.js').PointSet} PointSet */
/** @typedef {import('./pointer-trainer.js').PointerConfig} PointerConfig */
/** @typedef {import('./pointer-trainer.js').PointerTrace} PointerTrace */
/** @typedef {import('./pointer-trainer.js').PointerTrainerOptions} PointerTrainerOptions */
/** @typedef {import('./train-engine.js').Progress} Progress */
/** @typedef {import('./training.js').RunOptions} RunOptions */
/** @typedef {import('./trainer.js').SentencePair} SentencePair */
/** @typedef {import('./trainer.js').TrainerConfig} TrainerConfig */
/** @typedef {import('./trainer.js').TrainerOptions} TrainerOptions */
/** @typedef {import('../api/trace.js').Trace} Trace */

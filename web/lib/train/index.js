// The module 'qkv/train'. Importing it does nothing; Trainer.create() loads the build that trains.

export { QkvError } from '../base/errors.js';
export { Trainer } from './trainer.js';

/** @typedef {import('../base/errors.js').QkvErrorCode} QkvErrorCode */
/** @typedef {import('./trainer.js').Checkpoint} Checkpoint */
/** @typedef {import('./trainer.js').Progress} Progress */
/** @typedef {import('./trainer.js').RunOptions} RunOptions */
/** @typedef {import('./trainer.js').SentencePair} SentencePair */
/** @typedef {import('./trainer.js').TrainerConfig} TrainerConfig */
/** @typedef {import('./trainer.js').TrainerOptions} TrainerOptions */
/** @typedef {import('../api/trace.js').Trace} Trace */

// Which language a text is in: the entry point 'qkv/detect'. Importing it does nothing; the model is loaded by the first call.

export { QkvError } from '../base/errors.js';
export { detectLanguage, loadDetector } from './detect.js';
export { languages } from './languages.js';

/** @typedef {import('../base/errors.js').QkvErrorCode} QkvErrorCode */
/** @typedef {import('./detect.js').Detected} Detected */
/** @typedef {import('./detect.js').DetectOptions} DetectOptions */
/** @typedef {import('./detect.js').Detector} Detector */

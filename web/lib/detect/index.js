// The entry point 'qkv/detect': it says which language a text is in. An import does nothing. The first call loads the model.

export { QkvError } from '../base/errors.js';
export { detectLanguage, loadDetector } from './detect.js';
export { languages } from './languages.js';

/** @typedef {import('../base/errors.js').QkvErrorCode} QkvErrorCode */
/** @typedef {import('./detect.js').Detected} Detected */
/** @typedef {import('./detect.js').DetectOptions} DetectOptions */
/** @typedef {import('./detect.js').Detector} Detector */

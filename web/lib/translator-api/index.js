// The browsers' built-in Translator and LanguageDetector, for every browser. The engine is fetched by the first create().

export { CreateMonitor } from '../api/monitor.js';
export { configure } from './configuration.js';
export { LanguageDetector } from './language-detector.js';
export { Translator } from './translator.js';

/** @typedef {import('./configuration.js').Configuration} Configuration */
/** @typedef {import('./configuration.js').Models} Models */
/** @typedef {import('./creation.js').Availability} Availability */
/** @typedef {import('./language-detector.js').LanguageDetectionResult} LanguageDetectionResult */
/** @typedef {import('../api/monitor.js').DownloadProgressEvent} DownloadProgressEvent */

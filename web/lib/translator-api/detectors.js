// Where the detector of languages comes from.

/**
 * A loaded detector. `detect` gives a confidence from 0 to 1 for each language that is possible; their sum is at most 1.
 * 'und' is for an unknown language.
 * @typedef {object} Detector
 * @property {(text: string) => Result[] | Promise<Result[]>} detect
 * @property {(text: string) => number} measure how much of `inputQuota` a text takes
 * @property {number} inputQuota
 */
/** @typedef {{detectedLanguage: string, confidence: number}} Result */

/**
 * @typedef {object} DetectorSource
 * @property {readonly string[]} languages
 * @property {(options: {report: (loaded: number) => void}) => Promise<Detector>} load
 */

/**
 * A detector that replaces qkv's own (own-detector.js); null: none.
 * @type {{own: DetectorSource | null}}
 */
export const detectors = { own: null };

/** The detectors that are loaded or being loaded. @type {Map<DetectorSource, import('./download.js').Download<Detector>>} */
export const detectorDownloads = new Map();

// Where the detector of languages comes from.

/**
 * What has been loaded of a detector. `detect` gives a confidence from 0 to 1 for each language that it finds possible, all in
 * all at most 1; 'und' is what it does not know.
 * @typedef {object} Detector
 * @property {(text: string) => Result[] | Promise<Result[]>} detect
 * @property {(text: string) => number} measure of `inputQuota`
 * @property {number} inputQuota
 */
/** @typedef {{detectedLanguage: string, confidence: number}} Result */

/**
 * @typedef {object} DetectorSource
 * @property {readonly string[]} languages
 * @property {(options: {report: (loaded: number) => void}) => Promise<Detector>} load
 */

/**
 * What stands in the place of qkv's own detector (own-detector.js); null: nothing does.
 * @type {{own: DetectorSource | null}}
 */
export const detectors = { own: null };

/** What is loaded, or being loaded, of which detector. @type {Map<DetectorSource, import('./download.js').Download<Detector>>} */
export const detectorDownloads = new Map();

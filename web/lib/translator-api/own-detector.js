// qkv's own detector of languages. It is loaded with the first call that needs it.
import { loadDetector } from '../detect/detect.js';
import { languages } from '../detect/languages.js';
import { settings } from './configuration.js';

/** Tags that the detector also accepts: its 'no' is Norwegian in both written forms. */
const kAlso = ['nb', 'nn'];

/** @type {import('./detectors.js').DetectorSource} */
export const ownDetector = {
  languages: [...languages, ...kAlso],
  load: ({ report }) => loadDetector({ report, baseUrl: settings().options.baseUrl }),
};

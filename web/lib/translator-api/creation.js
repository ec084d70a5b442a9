// Creates the objects of the API, and finds their availability, by the steps of the Writing Assistance APIs
// (https://webmachinelearning.github.io/writing-assistance-apis/#supporting-creation).
import { newMonitor } from '../api/monitor.js';
import { member, requireArguments, toDictionary, toFunction, toSignal, toText } from '../webidl/convert.js';
import { exception } from './exception.js';

/** @typedef {'unavailable' | 'downloadable' | 'downloading' | 'available'} Availability */
/** @typedef {import('../api/monitor.js').CreateMonitor} CreateMonitor */
/** @typedef {{monitor?: (monitor: CreateMonitor) => void, signal?: AbortSignal}} Common */
/** @typedef {{expectedInputLanguages?: string[]}} CoreOptions of a detector */

/** The features of the permissions policy, by the names of the classes. @type {Record<string, string>} */
const kFeatures = { Translator: 'translator', LanguageDetector: 'language-detector' };

/** Throws an InvalidStateError if the document is no longer active, as in a removed frame. */
export function requireDocument() {
  const { document } = globalThis;
  if (document && !document.defaultView) throw exception('InvalidStateError', 'The document is not fully active');
}

/**
 * Whether the page's permissions policy lets it use a feature. If the browser does not know the feature, it is allowed.
 * @param {string} feature
 */
function isAllowed(feature) {
  const policy = /** @type {any} */ (globalThis.document)?.featurePolicy;
  return !policy?.features().includes(feature) || policy.allowsFeature(feature);
}

/** @param {Record<string, any>} dictionary @returns {Common} */
export const readCommon = (dictionary) => ({
  monitor: member(dictionary, 'monitor', toFunction),
  signal: member(dictionary, 'signal', toSignal),
});

/**
 * Converts the arguments of an operation on a text. Then throws if the document is no longer active.
 * @param {IArguments} given
 * @param {any} input
 * @param {any} options
 * @returns {[text: string, signal: AbortSignal | undefined]}
 */
export function readOperation(given, input, options) {
  requireArguments(given, 1);
  const text = toText(input);
  const signal = member(toDictionary(options), 'signal', toSignal);
  requireDocument();
  return [text, signal];
}

/**
 * Spells language tags in the canonical way. Throws a RangeError for an invalid tag.
 * @param {Record<string, any>} options
 */
function canonicalize(options) {
  if ('sourceLanguage' in options) {
    [options.sourceLanguage] = Intl.getCanonicalLocales(options.sourceLanguage);
    [options.targetLanguage] = Intl.getCanonicalLocales(options.targetLanguage);
  } else options.expectedInputLanguages = Intl.getCanonicalLocales(options.expectedInputLanguages);
}

/** Fetches the rest of create(), and the code that finds a model, at the first call. */
const loadRun = () =>
  import('./run.js').catch((cause) => {
    throw exception('NetworkError', 'A script of qkv could not be loaded', cause);
  });

/**
 * @param {string} name of the class
 * @param {object} options
 * @returns {Promise<Availability>}
 */
export function availabilityOf(name, options) {
  requireDocument();
  canonicalize(options);
  return isAllowed(kFeatures[name])
    ? loadRun().then((run) => run.availability(name, options))
    : Promise.resolve('unavailable');
}

/**
 * @template Created
 * @param {string} name of the class
 * @param {Common} options
 * @param {(model: import('./run.js').Model<any>, options: any) => Created} construct makes the object
 * @returns {Promise<Created>}
 */
export function createObject(name, options, construct) {
  requireDocument();
  canonicalize(options);
  const { signal, monitor: callback } = options;
  signal?.throwIfAborted();
  if (!isAllowed(kFeatures[name])) throw exception('NotAllowedError', 'The permissions policy forbids it');
  const monitor = callback && newMonitor();
  if (monitor) callback(monitor);
  // This is read now, because the browser forgets the user's click within seconds, and fetching scripts may take longer.
  const { userActivation } = /** @type {{userActivation?: UserActivation}} */ (globalThis.navigator ?? {});
  const isActive = userActivation?.isActive ?? true;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop);
    loadRun()
      .then((run) => run.create(name, options, construct, monitor, isActive))
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', stop));
  });
}

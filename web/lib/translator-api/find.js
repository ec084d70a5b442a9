// Finds the back end for a create(): the browser's own model, a model of qkv, or none if both languages are the same.
import { mayHaveKept } from '../store/records.js';
import { languageOf } from '../text/tags.js';
import { echo, openDetector, openNative, openOwn } from './backends.js';
import { natives, settings } from './configuration.js';
import { detectorDownloads, detectors } from './detectors.js';

/** @typedef {import('../text/languages.js').LanguagePair} LanguagePair */
/** @typedef {import('../api/translate-options.js').ModelOption} ModelOption */
/** @typedef {import('./configuration.js').Models} Models */
/** @typedef {import('./creation.js').Availability} Availability */
/** @typedef {import('./creation.js').CoreOptions} CoreOptions */
/** @typedef {(report: (loaded: number) => void, signal?: AbortSignal) => Promise<any>} Open loads the back end */
/** @typedef {{state: Availability, open?: Open}} Found `open` is there unless it is unavailable */

/** How long the browser may take to answer `availability`. */
const kTimeLimit = 5000; // ms

/**
 * @param {string} name of the class
 * @param {any} options with canonical tags; the tags for a detector are replaced by the detector's own tags
 * @returns {Promise<Found>}
 */
export const find = (name, options) => (name === 'Translator' ? findTranslator(options) : findDetector(options));

/** @param {LanguagePair} options @returns {Promise<Found>} */
async function findTranslator({ sourceLanguage, targetLanguage }) {
  const given = { sourceLanguage, targetLanguage };
  const languages = { sourceLanguage: languageOf(sourceLanguage), targetLanguage: languageOf(targetLanguage) };
  if (languages.sourceLanguage === languages.targetLanguage)
    return { state: 'available', open: async () => echo(given) };
  return nativeFirst('Translator', given, () => findOwn(languages));
}

/** @param {CoreOptions} options @returns {Promise<Found>} */
function findDetector(options) {
  const { expectedInputLanguages = [] } = options;
  return nativeFirst('LanguageDetector', { expectedInputLanguages }, async () => findOwnDetector(options));
}

/**
 * The browser's own model, if install() has requested this and the browser has one. If that fails, qkv's model is used.
 * @param {string} name
 * @param {object} options
 * @param {() => Promise<Found>} findNext
 * @returns {Promise<Found>}
 */
async function nativeFirst(name, options, findNext) {
  const Native = natives[name];
  const state = Native ? await nativeState(Native, options) : 'unavailable';
  if (state === 'unavailable') return findNext();
  return {
    state,
    async open(report, signal) {
      try {
        return await openNative(Native, options, report, signal);
      } catch (error) {
        const { open } = signal?.aborted ? { open: undefined } : await findNext();
        if (!open) throw error;
        return open(report, signal);
      }
    },
  };
}

/**
 * The browser's answer. An error, or no answer in time, counts as 'unavailable'.
 * @param {any} Native
 * @param {object} options
 * @returns {Promise<Availability>}
 */
async function nativeState(Native, options) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const silence = new Promise((resolve) => (timer = setTimeout(resolve, kTimeLimit)));
  const ask = async () => Native.availability(options); // an exception becomes a rejection
  const answer = ask().catch(() => {});
  const state = await Promise.race([answer, silence]);
  clearTimeout(timer);
  return state ?? 'unavailable';
}

/**
 * The model of qkv for a pair.
 * @param {LanguagePair} languages as `languageOf` returns them
 * @returns {Promise<Found>}
 */
async function findOwn(languages) {
  const { options, downloads } = settings();
  const { models, ...others } = options;
  const key = `${languages.sourceLanguage} ${languages.targetLanguage}`;
  const isFolder = typeof models === 'string' || models instanceof URL;
  const model = models && !isFolder ? await modelFor(models, languages) : undefined;
  if (models && !isFolder && !model && !others.registry && !others.baseUrl) return { state: 'unavailable' };
  const given = { ...others, ...languages, ...(isFolder && { models }), ...(model && { model }) };
  const state = downloads.get(key)?.state ?? ((await isNew(model, others)) ? 'downloadable' : await engineState(given));
  if (state === 'unavailable') return { state };
  return { state, open: (report, signal) => openOwn(downloads, key, given, report, signal) };
}

/**
 * Whether the model is certainly not in a store. This can be found out without the engine's script.
 * @param {unknown} model
 * @param {import('./configuration.js').Configuration} options
 */
const isNew = async (model, { store = true }) =>
  model !== undefined && (store === false || (store === true && !(await mayHaveKept())));

/**
 * The availability of a model in a registry, in an installed package, or in the store. Only the engine's script can find it.
 * @param {LanguagePair} given
 * @returns {Promise<Availability>}
 */
const engineState = async (given) => (await import('./engine.js')).availability(given);

/**
 * The model that was configured for a pair, if there is one.
 * @param {Exclude<Models, string | URL>} models
 * @param {LanguagePair} languages
 * @returns {Promise<ModelOption | undefined>}
 */
async function modelFor(models, languages) {
  const { sourceLanguage, targetLanguage } = languages;
  if (typeof models === 'function') return models(languages);
  if (!Array.isArray(models)) return models[`${sourceLanguage}-${targetLanguage}`];
  return models.find(
    (model) =>
      languageOf(model.sourceLanguage) === sourceLanguage && languageOf(model.targetLanguage) === targetLanguage,
  );
}

/** @param {CoreOptions} options @returns {Promise<Found>} */
async function findOwnDetector(options) {
  const own = detectors.own ?? (await import('./own-detector.js')).ownDetector;
  const matching = options.expectedInputLanguages?.map((tag) => bestMatch(own.languages, tag)) ?? [];
  const expected = matching.filter((language) => language !== undefined);
  if (expected.length < matching.length) return { state: 'unavailable' };
  options.expectedInputLanguages = [...new Set(expected)];
  const state = detectorDownloads.get(own)?.state ?? 'downloadable';
  return { state, open: (report, signal) => openDetector(own, detectorDownloads, report, signal) };
}

/**
 * The detector's tag for a language: with its script if the detector lists that, otherwise without.
 * @param {readonly string[]} languages
 * @param {string} tag
 */
const bestMatch = (languages, tag) =>
  [languageOf(tag), new Intl.Locale(tag).language].find((language) => languages.includes(language));

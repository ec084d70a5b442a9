// The models on this device: `models`. Its code is fetched at the first call.
import { loadedPart } from '../base/errors.js';
import { parts } from './parts.js';
import { isSeveral, modelsOf } from './settings.js';
import { Translator } from './translator.js';

/** @typedef {import('../loading/model-source.js').ModelStore} ModelStore */
/** @typedef {import('../store/stored-models.js').KeptModel} KeptModel */
/** @typedef {import('./translate-options.js').CreateOptions} CreateOptions */
/** @typedef {{key?: string, sourceLanguage?: string, targetLanguage?: string, store?: ModelStore}} Which */

const kept = () => loadedPart(parts.kept);

/** The models that are kept on this device from one visit to the next. A model is kept when it is first used. */
export const models = {
  /**
   * The models that are kept completely.
   * @param {{store?: ModelStore}} [options] `store`: your own store
   * @returns {Promise<KeptModel[]>} empty if nothing can be kept
   */
  list: async (options) => (await kept()).list(options?.store),

  /**
   * Downloads a model and keeps it. Then `Translator.create` with these options works offline.
   * @param {CreateOptions} options as `Translator.create` takes them
   * @returns {Promise<void>} resolves when it is kept; rejects as `Translator.create` does, and with a QkvError: LIMIT_EXCEEDED if the
   *   browser has no space for it, UNSUPPORTED if nothing can be kept
   */
  preload: async (options) => (await kept()).preload(options, { Translator, isSeveral, modelsOf, parts }),

  /**
   * Removes models.
   * @param {Which} [which] one of `list()`, or all models from a language, into a language, or both; default: all models,
   *   and the parts of incomplete downloads
   * @returns {Promise<number>} how many models there were
   */
  remove: async (which) => (await kept()).removeModels({ ...which }),

  /**
   * Asks the browser to keep the data of this site even when space is short. The browser asks the user, or decides by itself.
   * @returns {Promise<boolean>} whether the browser agrees
   */
  persist: async () => (await kept()).persist(),
};

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
   * The models that are kept whole.
   * @param {{store?: ModelStore}} [options] `store`: one of one's own
   * @returns {Promise<KeptModel[]>} none where nothing can be kept
   */
  list: async (options) => (await kept()).list(options?.store),

  /**
   * Downloads a model, so that the next `Translator.create` with these options downloads nothing of it, also offline.
   * @param {CreateOptions} options as `Translator.create` takes them
   * @returns {Promise<void>} once it is kept; rejects as `Translator.create` does, and with a QkvError: LIMIT_EXCEEDED where the
   *   browser has no room for it, UNSUPPORTED where nothing can be kept
   */
  preload: async (options) => (await kept()).preload(options, { Translator, isSeveral, modelsOf, parts }),

  /**
   * Removes models.
   * @param {Which} [which] one of `list()`, or those from a language, into a language, or both; left out: all, and parts
   *   of downloads that broke off
   * @returns {Promise<number>} how many models there were
   */
  remove: async (which) => (await kept()).removeModels({ ...which }),

  /**
   * Asks the browser not to remove what this site keeps when room is short. It may ask the reader, or decide by itself.
   * @returns {Promise<boolean>} whether it will not
   */
  persist: async () => (await kept()).persist(),
};

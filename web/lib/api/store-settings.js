// Reads from the caller's options how a model is kept for the next visit.
import { invalid } from '../base/arguments.js';

/** @typedef {import('../loading/model-source.js').ModelStore} ModelStore */
/** @typedef {import('../loading/model-source.js').StoreSettings} StoreSettings */
/** @typedef {{sourceLanguage?: string, targetLanguage?: string, store?: boolean | ModelStore}} StoreOptions */

const kWeights = 'model.safetensors';

/**
 * @param {{key: unknown, name: string, source: any}} model
 * @param {StoreOptions} options
 * @returns {StoreSettings | undefined} undefined if it is not kept: it has no http or https URL, or the caller wants no store
 */
export function storeSettings({ key, name, source }, { sourceLanguage, targetLanguage, store = true }) {
  if (typeof store !== 'boolean' && !store?.put) throw invalid('store', 'it is true, false, or a Cache');
  const { files = {}, hashes, folder, manifest } = source;
  // Only URLs are joined to a key. To write the bytes of a model as text would take seconds.
  const urls = Object.values(files).every((file) => typeof file === 'string') ? Object.values(files) : [];
  const address = typeof key === 'string' ? key : urls.join(' ');
  if (!store || !/^https?:/.test(address)) return undefined;
  const beside = folder ?? String(files[kWeights]).replace(/[^/]*$/, '');
  return {
    key: address,
    name,
    sourceLanguage,
    targetLanguage,
    hash: hashes?.[kWeights],
    manifest: hashes || manifest ? undefined : `${beside}manifest.json`,
    store: store === true ? undefined : store,
  };
}

// Lists and removes the models that are kept on the device: the property `models` of Translator.
import { QkvError } from '../base/errors.js';
import { invalid } from '../base/arguments.js';
import { deleteFiles, inTime, kOrigin, kRecords, openStore, recordOf, recordUrl } from './records.js';

/** @typedef {import('../loading/model-source.js').ModelStore} ModelStore */
/** @typedef {import('../loading/model-source.js').StoreSettings} StoreSettings */
/** @typedef {import('./records.js').ModelRecord} ModelRecord */

/**
 * A model that is kept on this device.
 * @typedef {object} KeptModel
 * @property {string} key identifies the model: its URL, or the URLs of its files
 * @property {string} name 'en-fr'
 * @property {string} [sourceLanguage] BCP 47, as in the options of the call that loaded it
 * @property {string} [targetLanguage] BCP 47
 * @property {number} bytes of its files
 * @property {Date} date when it was kept
 */

/** Without locks: how long to wait for a store, and the time between two looks, in milliseconds. */
const kLongest = 3000;
const kPause = 50;

/** @param {ModelStore} [given] @returns {Promise<ModelStore | undefined>} undefined if there is none */
const storeOf = (given) => inTime(openStore(given));

/**
 * Whether all of a model is kept.
 * @param {StoreSettings} settings
 */
async function isKept({ store: given, key, hash }) {
  const store = await storeOf(given);
  const record = store && (await inTime(recordOf(store, key)));
  return !!record && record.hash === hash;
}

/**
 * @param {ModelStore} [given]
 * @returns {Promise<KeptModel[]>}
 */
async function list(given) {
  const store = await storeOf(given);
  const requests = store ? await store.keys() : [];
  const urls = requests.map(({ url }) => url).filter((url) => url.startsWith(kRecords));
  const records = await Promise.all(urls.map(async (url) => asKept(url, await (await store?.match(url))?.json())));
  return records.filter((record) => record !== null);
}

/**
 * @param {string} url
 * @param {ModelRecord | undefined} record
 * @returns {KeptModel | null} null if it has just been removed
 */
function asKept(url, record) {
  if (!record) return null;
  const { name, sourceLanguage, targetLanguage, date, bytes } = record;
  const key = decodeURIComponent(url.slice(kRecords.length));
  return { key, name, sourceLanguage, targetLanguage, bytes, date: new Date(date) };
}

/**
 * @param {{key?: string, sourceLanguage?: string, targetLanguage?: string, store?: ModelStore}} which
 * @returns {Promise<number>} how many models there were
 */
async function removeModels({ store: given, key, sourceLanguage, targetLanguage }) {
  const store = await storeOf(given);
  if (!store) return 0;
  const wanted = Object.entries({ key, sourceLanguage, targetLanguage }).filter(([, value]) => value !== undefined);
  const found = (await list(store)).filter((model) =>
    wanted.every(([field, value]) => model[/** @type {'key'} */ (field)] === value),
  );
  for (const model of found) {
    const record = await recordOf(store, model.key);
    await store.delete(recordUrl(model.key));
    if (record) await deleteFiles(store, record);
  }
  if (wanted.length === 0) {
    for (const { url } of await store.keys()) if (url.startsWith(kOrigin)) await store.delete(url);
  }
  return found.length;
}

/**
 * @param {boolean | ModelStore | undefined} given as the option `store`
 * @returns {Promise<void>} rejects with a QkvError if nothing can be kept
 */
async function needStore(given) {
  if (given === false) throw invalid('store', 'a preloaded model is always kept: leave the option out');
  const store = await storeOf(given === true ? undefined : given);
  if (store) return;
  const message = 'nothing can be kept here: Cache Storage needs a page with HTTPS; in Node give a store of your own';
  throw new QkvError('UNSUPPORTED', message, 'store');
}

/**
 * Waits until a loaded model is kept. The page that loads it holds a lock until then.
 * @param {StoreSettings | undefined} settings
 * @returns {Promise<void>} rejects with LIMIT_EXCEEDED if it could not be kept
 */
async function whenKept(settings) {
  if (!settings) throw new QkvError('UNSUPPORTED', 'only a model with an http or https URL can be kept', 'model');
  const { locks, storage } = globalThis.navigator ?? {};
  await locks?.request(`qkv ${settings.key}`, () => {});
  for (let waited = 0; waited <= (locks ? 0 : kLongest); waited += kPause) {
    if (await isKept(settings)) return;
    await new Promise((later) => void setTimeout(later, kPause));
  }
  const { quota, usage } = (await storage?.estimate?.().catch(() => null)) ?? {};
  const used = quota === undefined ? '' : `: of the ${quota} bytes that this site may keep, ${usage} are used`;
  throw new QkvError('LIMIT_EXCEEDED', `the model was loaded, and could not be kept${used}`, 'store');
}

/**
 * @param {any} options as `Translator.create` takes them
 * @param {{Translator: {create: (options: any) => Promise<{destroy: () => void}>}, isSeveral: (options: any) => boolean, modelsOf: (options: any) => any[], parts: {more: () => Promise<{routeOf: (options: any, models: any[]) => Promise<{models: any[]}>}>}}} tools the
 *   parts of the package that are already loaded
 */
async function preload(options, { Translator, isSeveral, modelsOf, parts }) {
  await needStore(options?.store);
  const translator = await Translator.create(options);
  try {
    const models = modelsOf(options);
    const route = isSeveral(options) ? (await (await parts.more()).routeOf(options, models)).models : models;
    for (const { source } of route) await whenKept(source.store);
  } finally {
    translator.destroy();
  }
}

const persist = async () => (await globalThis.navigator?.storage?.persist?.()) ?? false;

export const kept = { list, removeModels, isKept, preload, persist };

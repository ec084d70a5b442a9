// Lists of models: the models, the places of their files, and the hash of each file. The format is that of Mozilla's
// models.json, {baseUrl, models: {'en-fr': [{architecture, releaseStatus, sourceLanguage, targetLanguage, files}]}}.
// Other lists may add `version`, `license`, and the `size` and `hash` of any file.
import { QkvError, domException } from '../base/errors.js';
import { described, invalid } from '../base/arguments.js';
import { absoluteUrl } from '../base/runtime.js';
import { readAll } from '../loading/fetch.js';
import { asText } from '../loading/model-files.js';
import { verifiedFiles } from './verified-files.js';

/**
 * @typedef {object} ListedFile
 * @property {string} name
 * @property {string} url
 * @property {number} [size] in bytes, as it is served
 * @property {string} [hash] SHA-256 of the file as it is served, hexadecimal
 * @property {number} [uncompressedSize] of the unpacked file
 * @property {string} [uncompressedHash]
 */

/**
 * A model of a list.
 * @typedef {object} ListedModel
 * @property {string} sourceLanguage BCP 47
 * @property {string} targetLanguage BCP 47
 * @property {string} architecture 'tiny', 'base', 'base-memory'; '' if the list does not say
 * @property {string} status 'Release' if it is published; '' if the list does not say
 * @property {string} version '' if the list does not say
 * @property {string} license '' if the list does not say
 * @property {number} bytes the sum of the sizes that the list has
 * @property {ListedFile[]} files
 * @property {Record<string, Record<string, number>>} metrics by data set: {'flores200-plus': {bleu: 48.5}}
 */

/** @typedef {{sourceLanguage: string, targetLanguage: string}} LanguagePair */
/** @typedef {{architecture?: string}} Wanted */

/** The preferred language between two models, if a pair needs two. */
const kHub = 'en';
const kName = 'registry';

/**
 * Reads a list of models. Only the list is fetched, and only if its URL is given.
 * @param {string | URL | object} from its URL, in Node also a path; or the parsed content of such a file
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<Registry>} rejects with a QkvError: NETWORK, MISSING_FILE, INVALID_FILE
 */
export async function registry(from, { signal } = {}) {
  if (from instanceof Registry) return from;
  if (typeof from === 'object' && from !== null && !(from instanceof URL)) return new Registry(from, '');
  if (typeof from !== 'string' && !(from instanceof URL)) {
    throw invalid(kName, `expected a URL or an object, got ${described(from)}`);
  }
  const url = absoluteUrl(from);
  const text = asText(await readAll(url, kName, signal), kName);
  try {
    return new Registry(JSON.parse(text), url);
  } catch (cause) {
    throw cause instanceof QkvError ? cause : bad(`is not JSON (${url})`);
  }
}

export class Registry {
  /** The minifier renames classes; this is the name that users see. */
  static name = 'Registry';
  /** Every model of the list, in its order. @readonly @type {readonly ListedModel[]} */
  models;

  /**
   * @param {any} list
   * @param {string} url of the list; '' if it has none
   */
  constructor(list, url) {
    this.models = Object.freeze(readList(list, url));
  }

  /**
   * The model for a pair of languages: the first that is released, otherwise the first.
   * @param {LanguagePair & Wanted} pair
   * @returns {ListedModel | null}
   */
  find({ sourceLanguage, targetLanguage, architecture }) {
    const fits = (/** @type {ListedModel} */ model) =>
      isSame(model.sourceLanguage, sourceLanguage) &&
      isSame(model.targetLanguage, targetLanguage) &&
      (architecture === undefined || model.architecture === architecture);
    const all = this.models.filter(fits);
    return all.find(({ status }) => /^release/i.test(status)) ?? all[0] ?? null;
  }

  /**
   * The models for a pair of languages: one. If the list has no model for the pair: two with a language between them,
   * English if possible.
   * @param {LanguagePair & Wanted} pair
   * @returns {ListedModel[]} empty if there are none
   */
  route({ sourceLanguage, targetLanguage, ...wanted }) {
    const find = (/** @type {string} */ from, /** @type {string} */ to) =>
      this.find({ ...wanted, sourceLanguage: from, targetLanguage: to });
    const direct = find(sourceLanguage, targetLanguage);
    if (direct) return [direct];
    const others = this.models.filter((model) => isSame(model.sourceLanguage, sourceLanguage));
    for (const hub of [kHub, ...others.map((model) => model.targetLanguage)]) {
      const [first, second] = [find(sourceLanguage, hub), find(hub, targetLanguage)];
      if (first && second) return [first, second];
    }
    return [];
  }
}

/**
 * A listed model as a source for a translator: it downloads the files, checks their hashes, and keeps them.
 * @param {ListedModel} model
 * @param {boolean | import('../loading/model-source.js').ModelStore} [kept] as the option `store`
 * @returns {{key: string, name: string, source: import('../loading/model-source.js').UnreadySource}}
 */
export function listedModel({ sourceLanguage, targetLanguage, files }, kept = true) {
  const key = files.map(({ url, hash, uncompressedHash }) => [url, hash, uncompressedHash].join(' ')).join('\n');
  const name = `${sourceLanguage}-${targetLanguage}`;
  const settings = { key, name, sourceLanguage, targetLanguage, store: typeof kept === 'object' ? kept : undefined };
  const store = kept ? settings : undefined;
  return { key, name, source: Object.assign(verifiedFiles(files, store), { files: {}, store }) };
}

/**
 * @param {LanguagePair} pair
 */
export function noRoute({ sourceLanguage, targetLanguage }) {
  const message = `the registry has no model for ${sourceLanguage}-${targetLanguage}, nor two with a language between them`;
  return domException('NotSupportedError', new QkvError('UNSUPPORTED', message, kName));
}

/**
 * Whether a model's language is the wanted one: the same tag, or the same language if the model's tag has neither script nor region.
 * @param {string} has
 * @param {string} wanted
 */
function isSame(has, wanted) {
  const [a, b] = [new Intl.Locale(has), new Intl.Locale(wanted)];
  return a.baseName === b.baseName || (a.language === b.language && a.baseName === a.language);
}

/**
 * @param {any} list
 * @param {string} url
 * @returns {ListedModel[]}
 */
function readList(list, url) {
  const groups = Object.prototype.toString.call(list) === '[object Object]' ? list.models : null;
  if (typeof groups !== 'object' || groups === null) throw bad('is not a list of models: {"models": {"en-fr": […]}}');
  const base = baseOf(list.baseUrl, url);
  return Object.entries(groups).flatMap(([pair, models]) => {
    if (!Array.isArray(models)) throw bad(`models.${pair} is not a list`);
    return models.map((model, i) => readModel(model, base, `models.${pair}[${i}]`));
  });
}

/**
 * @param {unknown} given
 * @param {string} url
 * @returns {string} the base of relative URLs; '' if only absolute URLs are possible
 */
function baseOf(given, url) {
  if (given === undefined) return url;
  if (typeof given !== 'string') throw bad('baseUrl is a string');
  return absoluteUrl(url ? new URL(withSlash(given), url) : withSlash(given));
}

const withSlash = (/** @type {string} */ url) => (url.endsWith('/') ? url : `${url}/`);

/**
 * @param {any} model
 * @param {string} base
 * @param {string} where
 * @returns {ListedModel}
 */
function readModel(model, base, where) {
  const { files, metrics = {} } = model ?? {};
  if (typeof files !== 'object' || files === null) throw bad(`${where} has no files`);
  const listed = Object.entries(files)
    .filter(([, file]) => file != null)
    .map(([name, file]) => readFile(file, base, `${where}.files.${name}`));
  if (listed.length === 0) throw bad(`${where} has no files`);
  const bytes = listed.reduce((sum, { size, uncompressedSize = 0 }) => sum + (size ?? uncompressedSize), 0);
  const { architecture, releaseStatus, version, license } = model;
  const words = { architecture, status: releaseStatus, version, license };
  return /** @type {ListedModel} */ (
    Object.freeze({
      sourceLanguage: languageTag(model.sourceLanguage, `${where}.sourceLanguage`),
      targetLanguage: languageTag(model.targetLanguage, `${where}.targetLanguage`),
      ...Object.fromEntries(Object.entries(words).map(([key, value]) => [key, value == null ? '' : String(value)])),
      bytes,
      files: listed,
      metrics,
    })
  );
}

/**
 * @param {any} file
 * @param {string} base
 * @param {string} where
 * @returns {ListedFile}
 */
function readFile({ path, size, hash, uncompressedSize, uncompressedHash }, base, where) {
  if (typeof path !== 'string') throw bad(`${where} has no path`);
  const wrong = [hash, uncompressedHash].find((sum) => sum != null && !/^[\da-f]{64}$/i.test(String(sum)));
  if (wrong !== undefined) throw bad(`${where}: ${described(wrong)} is not a SHA-256`);
  const wrongSize = [size, uncompressedSize].find((n) => n != null && !(Number.isSafeInteger(n) && n >= 0));
  if (wrongSize !== undefined) throw bad(`${where}: ${described(wrongSize)} is not a size in bytes`);
  const url = urlOf(path, base, where);
  const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
  const known = Object.entries({ size, hash, uncompressedSize, uncompressedHash }).filter(([, value]) => value != null);
  return { name, url, ...Object.fromEntries(known) };
}

/**
 * @param {string} path
 * @param {string} base
 * @param {string} where
 */
function urlOf(path, base, where) {
  try {
    return base ? new URL(path, base).href : absoluteUrl(path);
  } catch {
    throw bad(`${where}: ${path} is not a URL`);
  }
}

/**
 * @param {unknown} tag as Mozilla writes it: 'zh_hant'
 * @param {string} where
 */
function languageTag(tag, where) {
  try {
    if (typeof tag === 'string') return new Intl.Locale(tag.replaceAll('_', '-')).baseName;
  } catch {
    // It is not a tag.
  }
  throw bad(`${where}: ${described(tag)} is not a language`);
}

const bad = (/** @type {string} */ message) => new QkvError('INVALID_FILE', message, kName);

// Turns the options of create() into an engine's settings.
import { QkvError, domException, loadedPart } from '../base/errors.js';
import { isIdentity, pairOf } from '../text/languages.js';
import { addressOf, modelSource, nameOf, withBlobs } from '../loading/model-source.js';
import { parts } from './parts.js';
import { invalid } from '../base/arguments.js';
import { baseFolder } from '../base/package-file.js';
import { foundModel, isModelPackage, packageFiles } from './package-models.js';
import { packagePairs } from './pairs.js';
import { storeSettings } from './store-settings.js';
import { hasWebWorker } from '../base/runtime.js';
import { wasmSettings } from '../engine/wasm-settings.js';

/** @typedef {import('../hosting/host.js').EngineSettings} EngineSettings */
/** @typedef {import('../loading/model-source.js').ModelSource} ModelSource */
/** @typedef {import('../loading/model-source.js').UnreadySource} UnreadySource */

/** @typedef {import('./translator.js').CreateOptions} CreateOptions */
/** @typedef {{key: unknown, name: string, source: ModelSource | UnreadySource}} ModelSettings */
/** @typedef {Pick<CreateOptions, 'sourceLanguage' | 'targetLanguage' | 'model' | 'models' | 'registry' | 'pivotLanguage' | 'baseUrl' | 'store'>} ModelOptions */

/**
 * Whether both languages are the same and no model was given. Then each text is its own translation.
 * @param {ModelOptions} options
 */
export const needsNoModel = ({ model, ...languages }) => model === undefined && isIdentity(languages);

/**
 * Whether a translator has no model, two models, or perhaps two. Then its engine comes from pivot.js, which must be fetched.
 * @param {ModelOptions} options
 */
export const isSeveral = (options) =>
  options.registry !== undefined ||
  (Array.isArray(options.model) && !(options.model[0] instanceof Blob)) ||
  needsNoModel(options);

/**
 * The settings of the model, or of each model of a list (the first translates into `pivotLanguage`, the second from
 * there); empty for a registry.
 * @param {ModelOptions} options
 * @returns {ModelSettings[]}
 */
export function modelsOf(options) {
  const { model, registry, pivotLanguage = 'en' } = options;
  if (!isSeveral(options)) return [modelSettings(options)];
  const models = registry === undefined && model !== undefined ? /** @type {any[]} */ (model) : [];
  return models.map((leg, i) =>
    modelSettings({ ...options, model: leg, [i ? 'sourceLanguage' : 'targetLanguage']: pivotLanguage }),
  );
}

/**
 * The model to load, the key by which translators share it, a name for people, and how it is kept. Throws
 * NotSupportedError if there is no model.
 * @param {ModelOptions} options
 * @returns {ModelSettings}
 */
export function modelSettings(options) {
  const given = { ...options, model: options.model === undefined ? modelInFolder(options) : options.model };
  const { key, name, source } = packageSettings(given) ?? givenSettings(given);
  const store = storeSettings({ key, name, source }, options);
  return { key, name, source: store && typeof source !== 'function' ? { ...source, store } : source };
}

/**
 * The model that the option `models` names for the pair; undefined if there is none.
 * @param {ModelOptions} options
 */
function modelInFolder({ models, sourceLanguage, targetLanguage }) {
  const pair = pairOf({ sourceLanguage, targetLanguage });
  if (typeof models === 'function') return models({ sourceLanguage, targetLanguage }) ?? undefined;
  return models && packagePairs.includes(pair) ? `${baseFolder(models)}${pair}/` : undefined;
}

/** @param {ModelOptions} options @returns {ModelSettings} */
function givenSettings(options) {
  if (options.model === undefined) throw noModel(options);
  const source = modelSource(/** @type {import('../loading/model-source.js').ModelOption} */ (options.model));
  const address = addressOf(source);
  if (address === null) return { key: {}, name: 'custom', source: readySource(source) };
  const pair = pairOf(options).replace('-', '');
  return { key: `${address} ${pair}`, name: nameOf(address), source: { ...source, pair } };
}

/**
 * The files themselves. If some must be unpacked: a function that fetches the code for it and unpacks them.
 * @param {ModelSource} source of files
 * @returns {ModelSource | UnreadySource}
 */
function readySource(source) {
  const names = Object.keys(/** @type {{files: UnreadySource['files']}} */ (source).files);
  if (!names.some((name) => /\.(zip|zst)$/i.test(name))) return source;
  const { files } = /** @type {{files: UnreadySource['files']}} */ (withBlobs(source));
  const unpack = async (/** @type {AbortSignal} */ signal, /** @type {(done: number) => void} */ progress) =>
    (await loadedPart(parts.more)).unpack(files, signal, progress);
  return Object.assign(unpack, { files });
}

/**
 * The settings of a model with its own package; null for other models, or if there is none.
 * @param {ModelOptions} options
 */
export function packageSettings({ model, models, baseUrl, ...languages }) {
  const pair = pairOf(languages);
  if (model !== undefined && !isModelPackage(model)) return null;
  if (!model && models) return null;
  if (model && pairOf(model) !== pair) throw otherPair(model, pair);
  const files = model ? packageFiles(model) : foundModel(pair, baseFolder(baseUrl));
  return files && { key: files['model.safetensors'], name: pair, source: { files, hashes: model?.hashes } };
}

/**
 * @param {Pick<CreateOptions, 'worker' | 'wasm' | 'threads' | 'baseUrl' | 'store'>} options
 * @param {import('../engine/kinds.js').EngineKind} kind
 * @returns {import('../hosting/host.js').EngineSettings}
 */
export function engineSettings({ worker = hasWebWorker(), wasm, threads = 1, baseUrl, store }, kind) {
  if (worker && typeof store === 'object') throw invalid('store', 'a store of your own needs worker: false');
  const base = baseFolder(baseUrl);
  const more = threads > 1 && { threads: { count: threads, ...kind.threadsUrls(base) } };
  return { worker, kind, base, wasm: wasmSettings(wasm, () => ({ pick: kind.wasmUrls(base), ...more })) };
}

/** @param {ModelOptions} options */
function noModel(options) {
  const pair = pairOf(options);
  const advice = packagePairs.includes(pair)
    ? `install qkv-${pair}, and pass the option \`model\`: import model from 'qkv-${pair}'`
    : `there are packages for ${packagePairs.join(', ')}: give a model for this pair with the option \`model\``;
  return domException('NotSupportedError', new QkvError('UNSUPPORTED', `no model for ${pair} was found: ${advice}`));
}

/**
 * @param {import('./package-models.js').ModelPackage} model
 * @param {string} pair
 */
function otherPair({ name }, pair) {
  const message = `the option \`model\` is the package for ${name}, and the languages are ${pair}`;
  return domException('NotSupportedError', new QkvError('UNSUPPORTED', message));
}

/**
 * The settings of the first of several engines, which keeps its downloads for the others.
 * @param {EngineSettings} settings
 * @param {ModelSource | UnreadySource} source
 */
export const sharing = (settings, source) => ({
  settings: { ...settings, wasm: { ...settings.wasm, isShared: true } },
  source: typeof source === 'function' ? source : { ...source, isShared: true },
});

/**
 * The settings of the other engines. They use the downloads of the first engine. If it kept none, they download again.
 * @param {EngineSettings} settings
 * @param {ModelSource | UnreadySource} source
 * @param {import('../engine/engine.js').Started} started
 * @param {import('../hosting/shared-model.js').Loaded} loaded
 */
export function shared(settings, source, { build, compiled }, { files }) {
  const { wasm } = settings;
  const threads = 'pick' in wasm && build === 'threads' ? wasm.threads : undefined;
  const ready = threads ? { ...wasm, threads: { ...threads, wasm: compiled } } : { build, from: compiled };
  return {
    settings: /** @type {EngineSettings} */ (compiled ? { ...settings, wasm: ready } : settings),
    source:
      Object.keys(files ?? {}).length > 0 ? { files: { ...('files' in source && source.files), ...files } } : source,
  };
}

// From what a user asks of create() to what an engine is told.
import { defaultModel } from './assets.js';
import { QkvError, domException } from './errors.js';
import { isPackagePair } from './languages.js';
import { modelSource } from './model-source.js';
import { hasWebWorker } from './runtime.js';
import { wasmSettings } from './wasm-settings.js';

/** @typedef {import('./translator.js').CreateOptions} CreateOptions */

export const kDefaultKey = "the package's own model";

/**
 * The model to load, the key under which translators share it, and a name for people.
 * @param {CreateOptions} options
 */
export function modelSettings(options) {
  const isOurs = isPackagePair(options);
  if (options.model === undefined) {
    if (!isOurs) throw unsupportedPair(options);
    return { key: kDefaultKey, name: 'en-fr', source: { files: defaultModel() } };
  }
  const source = modelSource(options.model);
  if ('files' in source) return { key: {}, name: 'custom', source };
  return { key: source.folder, name: source.folder.split('/').at(-2) || 'custom', source };
}

/**
 * @param {CreateOptions} options
 * @returns {import('./host.js').EngineSettings}
 */
export function engineSettings({ worker = hasWebWorker(), wasm, threads }) {
  return { worker, wasm: wasmSettings(wasm, threads) };
}

/** @param {CreateOptions} options */
function unsupportedPair({ sourceLanguage, targetLanguage }) {
  const message =
    `the package's own model translates en to fr, not ${sourceLanguage} to ${targetLanguage}: ` +
    'give a model for this pair with the option `model`';
  return domException('NotSupportedError', new QkvError('UNSUPPORTED', message));
}

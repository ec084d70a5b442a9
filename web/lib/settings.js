// From what a user asks of create() to what an engine is told.
import { defaultModel, wasmUrls } from './assets.js';
import { QkvError, domException } from './errors.js';
import { isPackagePair } from './languages.js';
import { absoluteUrl, modelSource } from './model-source.js';
import { hasWebWorker } from './runtime.js';

/** @typedef {import('./instantiate.js').WasmSettings} WasmSettings */
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
export function engineSettings({ worker = hasWebWorker(), wasm }) {
  return { worker, wasm: wasmSettings(wasm) };
}

/**
 * @param {CreateOptions['wasm']} wasm
 * @returns {WasmSettings}
 */
function wasmSettings(wasm) {
  if (wasm === undefined) return { pick: wasmUrls() };
  if (typeof wasm !== 'string' && !(wasm instanceof URL)) return { build: 'custom', from: wasm };
  const own = Object.entries(wasmUrls()).find(([build]) => build === wasm);
  return own ? { build: own[0], from: own[1] } : { build: 'custom', from: absoluteUrl(wasm) };
}

/** @param {CreateOptions} options */
function unsupportedPair({ sourceLanguage, targetLanguage }) {
  const message =
    `the package's own model translates en to fr, not ${sourceLanguage} to ${targetLanguage}: ` +
    'give a model for this pair with the option `model`';
  return domException('NotSupportedError', new QkvError('UNSUPPORTED', message));
}

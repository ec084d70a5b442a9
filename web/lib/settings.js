// From what a user asks of create() to what an engine is told.
import { packageModels, wasmUrls } from './assets.js';
import { QkvError, domException } from './errors.js';
import { packageKey, packageModel } from './languages.js';
import { modelSource, needsModels } from './model-source.js';
import { modelsWasmUrls } from './models/assets.js';
import { hasWebWorker } from './runtime.js';
import { wasmSettings } from './wasm-settings.js';

/** @typedef {import('./translator.js').CreateOptions} CreateOptions */

const kTranslation = /** @type {const} */ ('translation');
const kModels = /** @type {const} */ ('models');

/**
 * The model to load, the key under which translators share it, and a name for people.
 * @param {CreateOptions} options
 */
export function modelSettings(options) {
  const ours = packageModel(options);
  if (options.model === undefined) {
    if (ours === null) throw unsupportedPair(options);
    return { key: packageKey(ours), name: ours, source: { files: packageModels[ours]() }, kind: kTranslation };
  }
  const source = modelSource(options.model);
  const kind = needsModels(source) ? kModels : kTranslation;
  if ('files' in source) return { key: {}, name: 'custom', source, kind };
  return { key: source.folder, name: source.folder.split('/').at(-2) || 'custom', source, kind };
}

/**
 * @param {Pick<CreateOptions, 'worker' | 'wasm' | 'threads'>} options
 * @param {import('./host.js').EngineSettings['kind']} kind
 * @returns {import('./host.js').EngineSettings}
 */
export function engineSettings({ worker = hasWebWorker(), wasm, threads }, kind) {
  const isModels = kind === kModels;
  return { worker, kind, wasm: wasmSettings(wasm, isModels ? 1 : threads, isModels ? modelsWasmUrls : wasmUrls) };
}

/** @param {CreateOptions} options */
function unsupportedPair({ sourceLanguage, targetLanguage }) {
  const message =
    `the package has models for ${Object.keys(packageModels).join(', ')}, and none for ${sourceLanguage} to ${targetLanguage}: ` +
    'give a model for this pair with the option `model`';
  return domException('NotSupportedError', new QkvError('UNSUPPORTED', message));
}

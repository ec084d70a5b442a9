// The front door for model folders of every kind.
import { readAll } from '../fetch.js';
import { locate } from '../model-source.js';
import { Translator } from '../translator.js';
import { Encoder } from './encoder.js';
import { folderSource } from './folder-source.js';
import { Generator } from './generator.js';
import { lend, look } from './lend.js';

/** @typedef {import('./folder-source.js').AnyModelOption} AnyModelOption */
/** @typedef {import('./directory.js').TensorInfo} TensorInfo */
/** @typedef {import('./lend.js').LoadOptions} LoadOptions */

/**
 * @typedef {object} Languages of a translator; BCP 47
 * @property {string} [sourceLanguage] left out: 'und', undetermined
 * @property {string} [targetLanguage] left out: 'und'
 * @property {number} [beam] as in `Translator.create`
 */

/**
 * What a folder holds.
 * @typedef {object} FolderInfo
 * @property {'Translator' | 'Encoder' | 'Generator'} class what `load` makes of it
 * @property {number} parameters numbers in its weights
 * @property {number} bytes that they will take in memory, by the option `numbers`
 * @property {number} fileBytes of its files of weights; 0: not known before they are read
 * @property {string} modelType as config.json has it: 'bert'
 * @property {string} architecture as config.json has it, '' where it does not say: 'BertForMaskedLM'
 * @property {TensorInfo[]} tensors of its files of weights, in the order that they lie in; none of what PyTorch pickled
 * @property {number} dModel the width of its layers
 * @property {number} vocabularySize
 * @property {number} maxLength the most pieces of a text
 */

/**
 * Loads a model folder, whatever it holds: `config.json` says what.
 * @param {AnyModelOption} model
 * @param {LoadOptions & Languages} [options]
 * @returns {Promise<Translator | Encoder | Generator>} rejects with a QkvError that says what is wrong with the folder, or
 *   what it asks for that this engine does not do; NetworkError for a download; the signal's reason
 */
export async function load(model, { sourceLanguage = 'und', targetLanguage = 'und', beam, ...options } = {}) {
  if (await isRecurrent(model, options.signal)) {
    const folder = /** @type {import('../translator.js').ModelOption} */ (model);
    return Translator.create({ ...options, sourceLanguage, targetLanguage, beam, model: folder });
  }
  const { lease, info } = await lend(model, options);
  if (info.kind === 'translation') return Translator.on(lease, info, { sourceLanguage, targetLanguage, beam });
  return info.kind === 'encoder' ? Encoder.on(lease, info) : Generator.on(lease, info);
}

/**
 * Whether a folder is of this package's own recurrent kind, which the translating engine runs.
 * @param {AnyModelOption} model
 * @param {AbortSignal} [signal]
 */
async function isRecurrent(model, signal) {
  const source = folderSource(model);
  const from = 'zip' in source ? undefined : locate(source, 'config.json');
  const bytes = from === undefined ? null : await readAll(from, 'config.json', signal);
  return bytes !== null && /"model_type"\s*:\s*"qkv-rnn"/.test(new TextDecoder().decode(bytes));
}

/**
 * What a folder holds and how large it would be in memory. Its weights are not read: of a file that safetensors wrote its
 * beginning is, what PyTorch pickled is downloaded.
 * @param {AnyModelOption} model
 * @param {LoadOptions} [options]
 * @returns {Promise<FolderInfo>} rejects as `load` does
 */
export async function inspect(model, options = {}) {
  const { kind, modelType, architecture, tensors, ...known } = await look(model, options);
  const { parameters, bytes, fileBytes, dModel, vocabularySize, maxLength } = known;
  const name = { translation: 'Translator', encoder: 'Encoder', generator: 'Generator' }[kind];
  return /** @type {FolderInfo} */ ({
    class: name,
    modelType,
    architecture,
    tensors,
    parameters,
    bytes,
    fileBytes,
    dModel,
    vocabularySize,
    maxLength,
  });
}

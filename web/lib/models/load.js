// Loads model folders of every kind.
import { rethrowPublic } from '../base/errors.js';
import { described, invalid, readFields } from '../base/arguments.js';
import { listed, openerOf, readFile } from '../loading/model-files.js';
import { Translator } from '../api/translator.js';
import { copied } from '../base/snapshot.js';
import { addressOf, withBlobs } from '../loading/model-source.js';
import { Encoder } from './encoder.js';
import { folderSource } from '../loading/folder-source.js';
import { Generator } from './generator.js';
import { isMarian, marianInfo } from './marian.js';
import { inspectModel, kLoad, openModel } from './open-model.js';
import { checkKind } from './one-sided.js';

/** @typedef {import('../loading/folder-source.js').AnyModelOption} AnyModelOption */
/** @typedef {import('../loading/folder-source.js').FolderSource} FolderSource */
/** @typedef {import('../loading/model-source.js').ModelOption} ModelOption */
/** @typedef {import('../engine/models/directory.js').TensorInfo} TensorInfo */
/** @typedef {import('./open-model.js').LoadOptions} LoadOptions */

/** @typedef {{Translator: Translator, Encoder: Encoder, Generator: Generator}} ModelClasses */

/**
 * @typedef {object} Languages the options of a translator; languages are BCP 47 tags
 * @property {string} [sourceLanguage] default: 'und', undetermined
 * @property {string} [targetLanguage] default: 'und'
 * @property {number} [beam] as in `Translator.create`
 */

const kKinds = /** @type {const} */ ({ Translator: 'translation', Encoder: 'encoder', Generator: 'generator' });

/**
 * The content of a folder.
 * @typedef {object} FolderInfo
 * @property {'Translator' | 'Encoder' | 'Generator'} class the class that `load` returns
 * @property {number} parameters the number of its weights
 * @property {number} bytes of its weights in memory, with the option `numbers`
 * @property {number} fileBytes of the files of weights; 0: not known before they are read
 * @property {string} modelType as in config.json: 'bert'
 * @property {string} architecture as in config.json; '' if it is not given: 'BertForMaskedLM'
 * @property {TensorInfo[]} tensors of its files of weights, in the order of the files; empty for PyTorch's pickles
 * @property {number} dModel the width of its layers
 * @property {number} vocabularySize
 * @property {number} maxLength the most pieces of a text
 * @property {number} [encoderLayers] this field and the next four are only for a model in Marian's own files, which must be
 *   loaded to know them
 * @property {number} [decoderLayers]
 * @property {number} [heads] in each layer of the encoder
 * @property {'int8' | 'floats'} [numbers] of its matrices in memory
 * @property {boolean} [shortlist] whether it has a shortlist
 */

/**
 * Loads a model folder that has a model of the class `class`. A folder with a model of another class is refused.
 * @template {keyof ModelClasses} Name
 * @overload
 * @param {AnyModelOption} model
 * @param {LoadOptions & Languages & {class: Name}} options
 * @returns {Promise<ModelClasses[Name]>} rejects as below, and with INVALID_ARGUMENT if the folder has a model of
 *   another class
 */
/**
 * Loads a model folder of any class, which `config.json` determines.
 * @overload
 * @param {AnyModelOption} model
 * @param {LoadOptions & Languages} [options]
 * @returns {Promise<Translator | Encoder | Generator>} rejects with a QkvError that says what is wrong with the
 *   folder, or which of its features this engine does not support; NetworkError for a download; the signal's reason
 */
/**
 * @param {AnyModelOption} model
 * @param {LoadOptions & Languages & {class?: keyof ModelClasses}} [options]
 * @returns {Promise<any>}
 */
export async function load(model, options) {
  const given = readFields(options, 'load', [...kLoad, 'sourceLanguage', 'targetLanguage', 'beam', 'class']);
  const { sourceLanguage = 'und', targetLanguage = 'und', beam, class: wanted, ...how } = given;
  if (wanted !== undefined && !Object.hasOwn(kKinds, wanted)) {
    throw invalid('class', `expected one of ${Object.keys(kKinds).join(', ')}, got ${described(wanted)}`);
  }
  const wantedKind = wanted && kKinds[/** @type {keyof ModelClasses} */ (wanted)];
  // Open it with the engine of qkv/models. A Marian model is opened again by the engine that translates.
  const source = withBlobs(folderSource(model));
  how.wasm = copied(how.wasm);
  const opened = await openUnlessMarian(source, how, { sourceLanguage, targetLanguage }).catch(rethrowPublic);
  if (!opened) {
    const { numbers: _, ...rest } = how;
    const translating = { ...rest, sourceLanguage, targetLanguage, beam, model: modelOf(source) };
    const translator = await Translator.create(translating);
    checkKind('translation', wantedKind, () => translator.destroy());
    return translator;
  }
  // Create an object of the model's class.
  const { reference, info } = opened;
  checkKind(info.kind, wantedKind, () => reference.release());
  if (info.kind === 'translation') return Translator.on(reference, info, { sourceLanguage, targetLanguage, beam });
  return info.kind === 'encoder' ? Encoder.on(reference, info) : Generator.on(reference, info);
}

/** The source as the option `model` of a translator. @param {FolderSource} source */
const modelOf = (source) => /** @type {ModelOption} */ ('zip' in source ? source.zip : (addressOf(source) ?? source));

/**
 * An engine with the model; null if it is a Marian model, which the engine that translates runs.
 * @param {FolderSource} source
 * @param {LoadOptions} how
 * @param {import('../text/languages.js').LanguagePair} languages
 */
async function openUnlessMarian(source, how, languages) {
  try {
    return await openModel(source, how, await withConfig(source, how.signal));
  } catch (error) {
    if (await isMarian(source, error, languages, how.signal)) return null;
    throw error;
  }
}

/**
 * A folder whose config.json has been read; undefined for a zip, which is read when it is unpacked.
 * @param {FolderSource} source
 * @param {AbortSignal} [signal]
 */
async function withConfig(source, signal) {
  if ('zip' in source) return undefined;
  const list = await listed(source, signal);
  const config = /** @type {Uint8Array} */ (await readFile(openerOf(list, signal), 'config.json'));
  return { ...list, known: { 'config.json': config } };
}

/**
 * The content of a folder, and the model's size in memory. Only the beginning of a safetensors file is read. PyTorch's
 * pickles are downloaded completely, and a model in Marian's own files is loaded.
 * @param {AnyModelOption} model
 * @param {LoadOptions} [options]
 * @returns {Promise<FolderInfo>} rejects as `load` does
 */
export async function inspect(model, options) {
  // Ask the engine of qkv/models. It does not know Marian's own files.
  const source = withBlobs(folderSource(model));
  const languages = { sourceLanguage: 'und', targetLanguage: 'und' };
  const found = await inspectModel(source, options).catch(async (error) => {
    if (await isMarian(source, error, languages, options?.signal)) return null;
    throw error;
  });
  // A Marian model is loaded by a translator.
  if (!found) {
    const { numbers: _, ...how } = options ?? {};
    const translator = await Translator.create({ ...how, ...languages, model: modelOf(source) });
    translator.destroy();
    return marianInfo(translator.info);
  }
  const { kind, modelType, architecture, tensors, ...known } = found;
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

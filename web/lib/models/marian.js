import { isAbsent, loadedPart } from '../base/errors.js';
import { marianNames } from '../loading/marian-files.js';
import { listed } from '../loading/model-files.js';
import { isOpus } from '../loading/opus-files.js';
import { parts } from '../api/parts.js';

/**
 * Whether a source without config.json is a model in Marian's format. A folder on a server cannot be listed. It may be one
 * if its languages are known, because the names of the files contain them.
 * @param {import('../loading/folder-source.js').FolderSource} source
 * @param {any} error the error when it was read as a model folder
 * @param {import('../text/languages.js').LanguagePair} languages
 * @param {AbortSignal | null} [signal]
 * @returns {Promise<boolean>} rejects with INVALID_ARGUMENT if there are several models
 */
export async function isMarian(source, error, languages, signal) {
  const cause = error instanceof DOMException ? error.cause : error;
  if (!isAbsent(cause) || cause.where !== 'config.json') return false;
  if ('zip' in source) {
    const { holdsMarian } = await loadedPart(parts.more);
    return (await holdsMarian(source.zip, signal ?? undefined)) || isOpus(source, signal);
  }
  const { sourceLanguage, targetLanguage } = languages;
  const isKnown = sourceLanguage !== 'und' && targetLanguage !== 'und';
  const list = await listed(source, signal ?? undefined);
  const names = await marianNames(isKnown ? { ...list, pair: sourceLanguage + targetLanguage } : list);
  return names !== null || isOpus(list, signal);
}

/**
 * The result of `inspect` for a model in Marian's own files.
 * @param {import('../engine/info.js').TranslatorInfo} info of the model, loaded
 * @returns {import('./load.js').FolderInfo}
 */
export function marianInfo({ parameters, bytes, dModel, vocabularySize, maxLength, ...more }) {
  const { encoderLayers, decoderLayers, encoderHeads: heads, shortlist } = more;
  // An int8 weight takes one byte, or two if rows have only 32 numbers. A float takes four.
  const numbers = bytes < 3 * parameters ? 'int8' : 'floats';
  return {
    ...{ class: 'Translator', modelType: 'marian', architecture: '', tensors: [], fileBytes: 0 },
    ...{ parameters, bytes, dModel, vocabularySize, maxLength },
    ...{ encoderLayers, decoderLayers, heads, numbers, shortlist },
  };
}

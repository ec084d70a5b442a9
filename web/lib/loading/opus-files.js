// The files of OPUS-MT's models as they were first published: *.npz, source.spm, target.spm, *vocab.yml, decoder.yml.
import { QkvError } from '../base/errors.js';
import { namesByKind, fileNames, onlyOne } from './marian-files.js';
import { listed, openerOf, readFile } from './model-files.js';
import { zipEntries } from './zip.js';

/** @typedef {import('./model-files.js').ListedSource} ListedSource */
/** @typedef {import('./model-source.js').ModelSource} ModelSource */
/** @typedef {import('./model-source.js').UnreadySource} UnreadySource */

export const kDecoder = 'decoder.yml';
const isWeights = (/** @type {string} */ name) => name.endsWith('.npz');
const isVocabulary = (/** @type {string} */ name) => name.endsWith('vocab.yml');

/** Whether a file may belong to such a model, beside source.spm and target.spm. @param {string} name */
export const isOpusFile = (name) => isWeights(name) || isVocabulary(name) || name === kDecoder;

/**
 * Whether a source is such a model. A folder on a server, which cannot be listed, is one if it has decoder.yml.
 * @param {ModelSource | UnreadySource | {zip: import('./fetch.js').Source}} source
 * @param {AbortSignal | null} [given]
 * @returns {Promise<boolean>} also false if it cannot be read: the next reader reports why
 */
export async function isOpus(source, given) {
  const signal = given ?? new AbortController().signal;
  try {
    if ('zip' in source) return await holdsWeights(source.zip, signal);
    const list = typeof source === 'function' ? { files: source.files } : await listed(source, signal);
    const zip = 'files' in list && Object.keys(list.files).find((name) => /\.zip$/i.test(name));
    if (zip) return await holdsWeights(list.files[zip], signal);
    const names = await fileNames(list);
    return names ? names.some(isWeights) : (await readFile(openerOf(list, signal), kDecoder, true)) !== null;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** @param {import('./fetch.js').Source} zip @param {AbortSignal} signal */
const holdsWeights = async (zip, signal) => Object.keys(await zipEntries(zip, signal, () => {})).some(isWeights);

/**
 * The names of the files of a model whose weights are in .npz, each in a list.
 * @param {ListedSource} source
 * @param {{weights: string, vocabulary: string}} declared in decoder.yml; '' if it is not there
 * @returns {Promise<(import('./marian-files.js').MarianNames & {rows: string[]}) | null>} `rows`: the name of
 *   *vocab.yml, empty if the vocabularies are those of Firefox's models; null if there are no weights; rejects with
 *   MISSING_FILE if source.spm has no *vocab.yml beside it
 */
export async function opusNames(source, declared) {
  const given = (await fileNames(source)) ?? Object.values(declared).filter((name) => name !== '');
  const weights = onlyOne(given.filter(isWeights));
  if (weights.length === 0) return null;
  const marian = namesByKind(given);
  if (marian.vocabulary.length > 0 || marian.sourceSpm.length > 0) return { ...marian, weights, rows: [] };
  const rows = declared.vocabulary ? [declared.vocabulary] : onlyOne(given.filter(isVocabulary));
  if (rows.length === 0) throw new QkvError('MISSING_FILE', 'source.spm needs *vocab.yml beside it', 'model');
  return { ...marian, weights, sourceSpm: ['source.spm'], targetSpm: ['target.spm'], shortlist: [], rows };
}

// The names of files of Marian models, as Firefox has them. Each may be compressed by gzip.
import { QkvError } from '../base/errors.js';
import { fileSystem } from '../base/runtime.js';

/** @typedef {import('./model-files.js').ListedSource} ModelSource */
/**
 * @typedef {Record<keyof typeof kKinds, string[]>} MarianNames the possible names of the file of each kind, the best
 * first
 */

const kKinds = {
  weights: /^model\.(.*\.)?bin(\.gz)?$/,
  vocabulary: /^vocab\.(.*\.)?spm(\.gz)?$/,
  sourceSpm: /^srcvocab\.(.*\.)?spm(\.gz)?$/,
  targetSpm: /^trgvocab\.(.*\.)?spm(\.gz)?$/,
  shortlist: /^lex\.(.*\.)?bin(\.gz)?$/,
};
/** The names of the published files; `*` is the pair of languages, as in 'enfr'. */
const kUsual = {
  weights: ['model.*.intgemm.alphas.bin', 'model.*.intgemm8.bin'],
  vocabulary: ['vocab.*.spm'],
  sourceSpm: ['srcvocab.*.spm'],
  targetSpm: ['trgvocab.*.spm'],
  shortlist: ['lex.50.50.*.s2t.bin', 'lex.*.s2t.bin'],
};

/** Whether a file may belong to a Marian model. @param {string} name */
export const isMarianFile = (name) => Object.values(kKinds).some((kind) => kind.test(name));

/**
 * The names of Marian's files among a model's files. A folder on a server cannot be listed, so the usual names for its
 * languages are assumed.
 * @param {ModelSource} model
 * @returns {Promise<MarianNames | null>} null if there is no Marian model; rejects with INVALID_ARGUMENT if there are
 *   several
 */
export async function marianNames(model) {
  const names = await fileNames(model);
  const found = names && namesByKind(names);
  if (found) return found.weights.length > 0 ? found : null;
  const { pair } = model;
  if (!pair) return null;
  const plainAndPacked = (/** @type {string} */ name) => [name.replace('*', pair), `${name.replace('*', pair)}.gz`];
  return forEachKind((kind) => kUsual[kind].flatMap(plainAndPacked));
}

/**
 * The names of a model's files; null for a folder on a server, which cannot be listed.
 * @param {ModelSource} model
 * @returns {Promise<string[] | null>}
 */
export async function fileNames(model) {
  if ('files' in model) return Object.keys(model.files);
  const files = model.folder.startsWith('file:') && fileSystem();
  return files ? files.readdir(new URL(model.folder)).catch(() => []) : null;
}

/**
 * @param {(kind: keyof typeof kKinds) => string[]} names
 * @returns {MarianNames}
 */
function forEachKind(names) {
  const kinds = /** @type {(keyof typeof kKinds)[]} */ (Object.keys(kKinds));
  return /** @type {MarianNames} */ (Object.fromEntries(kinds.map((kind) => [kind, names(kind)])));
}

/**
 * The only file of each kind; the uncompressed one if both exist.
 * @param {string[]} names
 */
export const namesByKind = (names) => forEachKind((kind) => onlyOne(names.filter((name) => kKinds[kind].test(name))));

/**
 * @param {string[]} all files of one kind
 * @returns {string[]} the only one, or none; throws INVALID_ARGUMENT if there are several
 */
export function onlyOne(all) {
  const plain = all.filter((name) => !name.endsWith('.gz'));
  const [name, second] = plain.length > 0 ? plain : all;
  if (second === undefined) return name === undefined ? [] : [name];
  throw new QkvError('INVALID_ARGUMENT', `${name} and ${second}: give only one of them`, 'model');
}

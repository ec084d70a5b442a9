// Turns a model, as a caller gives it, into a source that an engine can read: a folder as a Translator takes it, or a
// zip of one.
import { modelSource } from './model-source.js';

/** @typedef {import('./fetch.js').Source} Source */
/** @typedef {import('./model-source.js').ModelOption} ModelOption */

/**
 * The number format of float weights in memory; 'auto': int8 if floats would take over 128 MiB.
 * @typedef {'auto' | 'float' | 'int8'} Numbers
 */

/** @typedef {ModelOption} AnyModelOption */

/**
 * @typedef {(import('./model-source.js').ModelSource | {zip: Source}) & {numbers?: Numbers}} FolderSource
 */

/**
 * @param {AnyModelOption} model
 * @returns {FolderSource} throws a QkvError, code INVALID_ARGUMENT
 */
export function folderSource(model) {
  const source = modelSource(model);
  const [first, ...others] = 'files' in source ? Object.entries(source.files) : [];
  return first && others.length === 0 && /\.zip$/i.test(first[0]) ? { zip: first[1] } : source;
}

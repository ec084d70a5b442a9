// What a model is given as, made into what an engine can read: a folder as a Translator takes it, or a zip of one.
import { modelSource } from './model-source.js';
import { absoluteUrl } from '../base/runtime.js';

/** @typedef {import('./fetch.js').Source} Source */
/** @typedef {import('./model-source.js').ModelOption} ModelOption */

/**
 * What weights of floats are kept as; 'auto': int8 where floats would take over 128 MiB.
 * @typedef {'auto' | 'float' | 'int8'} Numbers
 */

/**
 * A model folder: its URL (in Node also a path), the files that a person chose, `{files: {name: bytes}}`, or a zip of it:
 * its bytes, or a URL that ends in .zip.
 * @typedef {ModelOption | Blob | ArrayBuffer | ArrayBufferView} AnyModelOption
 */

/**
 * @typedef {(import('./model-source.js').ModelSource | {zip: Source}) & {numbers?: Numbers}} FolderSource
 */

/**
 * @param {AnyModelOption} model
 * @returns {FolderSource} throws a QkvError, code INVALID_ARGUMENT
 */
export function folderSource(model) {
  const only = 'length' in Object(model) && typeof model !== 'string' && /** @type {any} */ (model).length === 1;
  const one = only && !ArrayBuffer.isView(model) ? /** @type {any} */ (model)[0] : model;
  if (one instanceof Blob && (one === model || /\.zip$/i.test(/** @type {File} */ (one).name))) return { zip: one };
  if (ArrayBuffer.isView(one) || Object.prototype.toString.call(one) === '[object ArrayBuffer]') return { zip: one };
  if (typeof one === 'string' || one instanceof URL) {
    const url = absoluteUrl(one);
    if (/\.zip$/i.test(new URL(url).pathname)) return { zip: url };
  }
  return modelSource(/** @type {ModelOption} */ (model));
}

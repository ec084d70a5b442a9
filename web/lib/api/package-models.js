// The models with their own packages, such as qkv-en-fr.
import { inPackage } from '../base/package-file.js';
import { modules, urlTools } from '../base/runtime.js';
import { wasmUrls } from '../engine/assets.js';
import { packagePairs } from './pairs.js';

/** @typedef {import('../loading/model-source.js').ModelPackage} ModelPackage */

/**
 * The pairs of languages with a model package, such as qkv-en-fr. With the options `baseUrl` and `models` these models come
 * from other folders.
 * @returns {import('../text/languages.js').LanguagePair[]}
 */
export const languagePairs = () =>
  packagePairs.map((pair) => {
    const [sourceLanguage, targetLanguage] = pair.split('-');
    return { sourceLanguage, targetLanguage };
  });

const kFiles = ['config.json', 'generation_config.json', 'vocab.json', 'source.spm', 'model.safetensors'];

/**
 * @param {unknown} model
 * @returns {model is ModelPackage}
 */
export const isModelPackage = (model) =>
  typeof model === 'object' && model !== null && 'sourceLanguage' in model && 'files' in model;

/**
 * The URLs of the files of a package's model.
 * @param {ModelPackage} model
 */
export const packageFiles = ({ name, files }) =>
  Object.fromEntries(Object.entries(files).map(([file, url]) => [file, inPackage(url, `qkv-${name}`)]));

/**
 * The files of the model for a pair if the caller gives no model: in the folder with qkv's files, or, in Node, in the
 * installed package. A browser cannot find out which packages are installed.
 * @param {string} pair
 * @param {string | undefined} base the folder's URL
 * @returns {Record<string, string> | null} null if there is no such model
 */
export function foundModel(pair, base) {
  if (!packagePairs.includes(pair)) return null;
  const folder = base === undefined ? installedFolder(pair) : `${base}${pair}/`;
  return folder === null ? null : Object.fromEntries(kFiles.map((file) => [file, folder + file]));
}

/** @param {string} pair @returns {string | null} its URL */
function installedFolder(pair) {
  try {
    const { baseline: here } = wasmUrls();
    const manifest = modules()?.createRequire(here).resolve(`qkv-${pair}/package.json`);
    return manifest === undefined ? null : new URL('./', urlTools()?.pathToFileURL(manifest)).href;
  } catch {
    return null; // not installed, or this script is not a file
  }
}

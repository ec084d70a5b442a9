// The options that the built-in API does not have: where models are, and how the engine runs.
/** @typedef {import('../text/languages.js').LanguagePair} LanguagePair */
/** @typedef {import('../api/translate-options.js').ModelOption} ModelOption */
/** @typedef {import('../api/translate-options.js').CreateOptions} CreateOptions */

/**
 * Where models are. A list of exports of packages such as qkv-en-fr. Or an object: for each pair, such as 'en-fr', a value of
 * the option `model` of qkv's Translator. Or a function that returns this value for a pair, or undefined if there is none. Or
 * the URL of a folder that has a folder for each pair of `languagePairs()`.
 * @typedef {{sourceLanguage: string, targetLanguage: string, files: Record<string, string>, name: string}[]
 *   | Record<string, ModelOption>
 *   | ((languages: LanguagePair) => ModelOption | undefined | Promise<ModelOption | undefined>)
 *   | string | URL} Models
 */

/**
 * @typedef {object} OwnOptions
 * @property {Models} [models] default: the models that qkv's Translator finds: with `baseUrl`, with `registry`, or installed in Node
 */

/** @typedef {OwnOptions & Pick<CreateOptions, 'registry' | 'pivotLanguage' | 'baseUrl' | 'worker' | 'wasm' | 'threads' | 'workers' | 'store'>} Configuration */

const kOptions = ['models', 'registry', 'pivotLanguage', 'baseUrl', 'worker', 'wasm', 'threads', 'workers', 'store'];

/**
 * @typedef {object} Settings
 * @property {Configuration} options
 * @property {Map<string, import('./download.js').Download<import('../api/translator.js').Translator>>} downloads by pair: models that are loaded or being loaded
 */

/** The browser's own classes by name, if install() was told to use them first. @type {Record<string, any>} */
export const natives = {};

/** @type {Settings} */
let current = { options: {}, downloads: new Map() };

export const settings = () => current;

/**
 * Sets where models are and how the engine runs. These are options of `Translator.create` of qkv that the built-in API does
 * not have. They replace all earlier settings, for every object that is created afterwards.
 * @param {Configuration} options
 */
export function configure(options) {
  const unknown = Object.keys(options).find((name) => !kOptions.includes(name));
  if (unknown) throw new TypeError(`configure() has no option '${unknown}'; it has ${kOptions.join(', ')}`);
  for (const download of current.downloads.values()) download.drop(); // a model stays loaded after an aborted create()
  current = { options: { ...options }, downloads: new Map() };
}

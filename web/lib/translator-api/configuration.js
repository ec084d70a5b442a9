// The options that the built-in API does not have: where models are, and how the engine runs.
/** @typedef {import('../text/languages.js').LanguagePair} LanguagePair */
/** @typedef {import('../api/translate-options.js').ModelOption} ModelOption */
/** @typedef {import('../api/translate-options.js').CreateOptions} CreateOptions */

/**
 * Where models are: what packages such as qkv-en-fr export, in a list; or for each pair, such as 'en-fr', what the option
 * `model` of qkv's Translator takes; or a function that gives this for a pair, and undefined where there is none; or the URL of
 * a folder with a folder for each pair of `languagePairs()`.
 * @typedef {{sourceLanguage: string, targetLanguage: string, files: Record<string, string>, name: string}[]
 *   | Record<string, ModelOption>
 *   | ((languages: LanguagePair) => ModelOption | undefined | Promise<ModelOption | undefined>)
 *   | string | URL} Models
 */

/**
 * @typedef {object} OwnOptions
 * @property {Models} [models] left out: as qkv's Translator finds them, with `baseUrl`, with `registry`, or installed in Node
 */

/** @typedef {OwnOptions & Pick<CreateOptions, 'registry' | 'pivotLanguage' | 'baseUrl' | 'worker' | 'wasm' | 'threads' | 'workers' | 'store'>} Configuration */

const kOptions = ['models', 'registry', 'pivotLanguage', 'baseUrl', 'worker', 'wasm', 'threads', 'workers', 'store'];

/**
 * @typedef {object} Settings
 * @property {Configuration} options
 * @property {Map<string, import('./download.js').Download<import('../api/translator.js').Translator>>} downloads by pair: what is loaded or being loaded
 */

/** The browser's own classes, by name, where install() was told to ask them first. @type {Record<string, any>} */
export const natives = {};

/** @type {Settings} */
let current = { options: {}, downloads: new Map() };

export const settings = () => current;

/**
 * Says where models are and how the engine runs: the options of `Translator.create` of qkv, which the built-in API has not.
 * It holds for everything that is created afterwards, and replaces the earlier settings.
 * @param {Configuration} options
 */
export function configure(options) {
  const unknown = Object.keys(options).find((name) => !kOptions.includes(name));
  if (unknown) throw new TypeError(`configure() has no option '${unknown}'; it has ${kOptions.join(', ')}`);
  for (const download of current.downloads.values()) download.drop(); // models that an aborted create() has left loaded
  current = { options: { ...options }, downloads: new Map() };
}

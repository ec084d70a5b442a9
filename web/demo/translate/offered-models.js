// The languages and models that the page offers. Except for the first, each is downloaded when it is chosen.

import { ownModels } from '../shared/own-models.js';

/** The first language's own model. */
export const kOwn = 'small';
const kCompared = ['plain', 'bahdanau', 'luong-dot', 'luong-general', 'luong-local', 'transformer'];
export const kFirstLanguage = 'fr'; // the compared models' too
export const kLanguages = [kFirstLanguage, 'de', 'es'];

/** The folder of a model that the page offers besides the languages' own. @param {string} id */
export const folderOf = (id) => `models/compared/${id}/`;

/** @param {string | null} id @returns {id is string} whether the page has such a model, besides the languages' own */
export const isOffered = (id) => id !== null && kCompared.includes(id);

/** @param {string | null} tag @returns {tag is string} whether the page translates into it, besides the first language */
export const isLanguage = (tag) => tag !== null && kLanguages.indexOf(tag) > 0;

/**
 * The language and the model that an address names; null: the first. The compared models translate into the first language alone.
 * @param {URLSearchParams} params of the hash
 */
export function readModel(params) {
  const [language, model] = [params.get('to'), params.get('model')];
  return { language: isLanguage(language) ? language : null, model: isOffered(model) ? model : null };
}

/**
 * What `Translator.create` takes for a model of the page.
 * @param {string} target the language's tag
 * @param {string | undefined} folder undefined: the language's own model
 */
export const offeredOptions = (target, folder) => ({
  sourceLanguage: 'en',
  targetLanguage: target,
  model: folder ?? ownModels[target],
});

/** By which two choices of a model of the page are compared. @param {string} target @param {string | undefined} folder */
export const idOf = (target, folder) => `${target} ${folder}`;

// The languages and models that the page offers. Except for the first, each is downloaded when it is chosen.

import { ownModels } from '../shared/own-models.js';

/** A pair's own model. */
export const kOwn = 'small';
const kCompared = ['plain', 'bahdanau', 'luong-dot', 'luong-general', 'luong-local', 'transformer'];
export const kFirstLanguage = 'fr'; // the compared models' too

/** The name of a choice of languages. @param {string} from @param {string} to */
export const choiceOf = (from, to) => (from === 'en' ? to : `${from}-${to}`);

/** The languages of a choice: [from, to]. @param {string} choice */
export const languagesOf = (choice) => (choice.includes('-') ? choice.split('-') : ['en', choice]);

/** The choices of languages, as in the address: the target language; both languages if the source is not English. */
const kLanguages = Object.keys(ownModels).map((pair) => {
  const [from, to] = pair.split('-');
  return choiceOf(from, to);
});

/** @param {string | null} choice @returns {choice is string} whether the page has a model of its own for these languages */
export const isLanguage = (choice) => choice !== null && kLanguages.includes(choice);

/** The folder of a model that the page offers besides the pairs' own. @param {string} id */
export const folderOf = (id) => `models/compared/${id}/`;

/** @param {string | null} id @returns {id is string} whether the page has such a model, besides the pairs' own */
export const isOffered = (id) => id !== null && kCompared.includes(id);

/**
 * The language and the model that an address names; null: the first. The compared models translate into the first language alone.
 * @param {URLSearchParams} params of the hash
 */
export function readModel(params) {
  const [language, model] = [params.get('to'), params.get('model')];
  const isNamed = isLanguage(language) && language !== kFirstLanguage;
  return { language: isNamed ? language : null, model: isOffered(model) ? model : null };
}

/**
 * What `Translator.create` takes for a model of the page.
 * @param {string} choice of languages
 * @param {string | undefined} folder undefined: the pair's own model
 */
export function offeredOptions(choice, folder) {
  const [sourceLanguage, targetLanguage] = languagesOf(choice);
  return { sourceLanguage, targetLanguage, model: folder ?? ownModels[`${sourceLanguage}-${targetLanguage}`] };
}

/** By which two choices of a model of the page are compared. @param {string} choice @param {string | undefined} folder */
export const idOf = (choice, folder) => `${choice} ${folder}`;

// The engine behind the classes of the built-in API. The first create() fetches it.
import { Translator } from '../api/translator.js';

/** @param {any} options @returns {Promise<import('./creation.js').Availability>} */
export const availability = (options) => Translator.availability(options);

/** @param {any} options */
export const create = (options) => Translator.create(options);

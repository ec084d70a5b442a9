import { loadedPart, rethrowPublic } from '../base/errors.js';
import { parts } from './parts.js';

/** @typedef {import('../registry/registry.js').Registry} Registry */

/**
 * A list of models, such as Mozilla's models.json: which pairs there are, how large, of which version and licence.
 * `Translator.create` takes it as `registry`. Nothing but the list is fetched, and that only where its URL is given.
 * @param {string | URL | object} from its URL, in Node also a path; or what such a file holds
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<Registry>} rejects with a QkvError: NETWORK, MISSING_FILE, INVALID_FILE
 */
export async function registry(from, options) {
  return (await loadedPart(parts.more)).registry(from, options).catch(rethrowPublic);
}

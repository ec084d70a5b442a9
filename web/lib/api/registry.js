import { loadedPart, rethrowPublic } from '../base/errors.js';
import { readFields } from '../base/arguments.js';
import { copied } from '../base/snapshot.js';
import { parts } from './parts.js';

/** @typedef {import('../registry/registry.js').Registry} Registry */

/**
 * A list of models, such as Mozilla's models.json: pairs of languages, sizes, versions and licences.
 * `Translator.create` takes it as `registry`. Only the list is fetched, and only if its URL is given.
 * @param {string | URL | object} from its URL, in Node also a path; or the content of such a file
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<Registry>} rejects with a QkvError: NETWORK, MISSING_FILE, INVALID_FILE
 */
export async function registry(from, options) {
  const { signal } = readFields(options, 'registry', ['signal']);
  const own = copied(from);
  return loadedPart(parts.more)
    .then((more) => more.registry(own, { signal: signal ?? undefined }))
    .catch(rethrowPublic);
}

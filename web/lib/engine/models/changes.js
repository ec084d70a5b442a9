// Changes to a model's forward, as the engine takes them.
import { invalid } from '../../base/arguments.js';

/**
 * A list of changes (api/interventions.js) in JSON, which the engine reads. JSON writes NaN as null, which would mean that a
 * field is left out. So a value that JSON does not have becomes a text, which the engine refuses by its place. Typed arrays
 * become lists.
 * @param {object[]} list
 * @returns {string}
 */
export function changesText(list) {
  const plain = (/** @type {string} */ _, /** @type {any} */ value) => {
    if (ArrayBuffer.isView(value)) return Array.from(/** @type {any} */ (value));
    return value === undefined || typeof value === 'object' || Number.isFinite(value) ? value : String(value);
  };
  try {
    return JSON.stringify(list, plain);
  } catch (error) {
    throw invalid('interventions', `cannot be written as JSON: ${error}`);
  }
}

// Changes to a model's forward pass, in the form that the engine reads.
import { invalid } from '../../base/arguments.js';

/**
 * A list of changes (api/interventions.js) as JSON. JSON writes NaN as null, and the engine takes null for a missing field.
 * So a value that JSON does not have becomes a text, which the engine refuses with its place in the list. Typed arrays
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

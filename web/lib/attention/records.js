/**
 * Converts records to the form that users get.
 * @param {Record<string, any>} result
 * @param {import('../engine/glue.js').WasmChoices} choices
 * @param {boolean} hasHeads whether there is an axis of heads
 */
export function finishRecords(result, { record }, hasHeads) {
  if (!hasHeads) {
    for (const name of ['weights', 'scores', 'logits', 'empty', 'chosen', 'centres']) result[name]?.shape.shift();
  }
  if (record.noCentres) result.centres = null;
  return result;
}

// Turns the options of one attention into the engine's request.
import { choiceNames, isByColumns, readChoices, withHeads } from './choices.js';
import { invalid } from '../base/arguments.js';
import { readFlag } from './fields.js';
import { readTensor } from './tensor.js';

/** The options that `attention` and `attentionGradient` share. */
export const requestNames = ['query', 'key', 'value', 'memory', 'concatenate', ...choiceNames];

/** @param {Record<string, any>} options */
export function readRequest(options) {
  const query = readTensor(options.query, 'query', [2, 3]);
  const hasHeads = query.shape.length === 3;
  const { key, value, valueIsKey } = readMemory(options);
  const columns = isByColumns(options);
  const [heads, a, b] = withHeads(query).shape;
  const keys = key.shape.at(columns ? -1 : -2);
  const choices = readChoices(options, { heads, queries: columns ? b : a, keys: /** @type {number} */ (keys) });
  const concatenate = readFlag(options.concatenate, 'concatenate');
  const spread = concatenate && !hasHeads;
  if (spread && choices.window.centres) {
    const { data, given } = choices.window.centres;
    choices.window.centres = { data, shape: [data.length, 1, 1], given };
  }
  return { ...choices, query: withHeads(query), key, value, valueIsKey, concatenate, spread, hasHeads, bytes: 0 };
}

/** @param {Record<string, any>} options */
function readMemory({ key, value, memory }) {
  if (memory === undefined) {
    const keys = withHeads(readTensor(key, 'key', [2, 3]));
    const values = value === undefined ? undefined : withHeads(readTensor(value, 'value', [2, 3]));
    return { key: keys, value: values, valueIsKey: false };
  }
  if (key !== undefined || value !== undefined) {
    throw invalid('memory', 'a memory is both key and value: give either memory, or key and value');
  }
  return { key: withHeads(readTensor(memory, 'memory', [2, 3])), value: undefined, valueIsKey: true };
}

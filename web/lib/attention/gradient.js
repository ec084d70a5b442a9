import { bytesIn, checkShape, withHeads } from './choices.js';
import { withEngine } from './engine.js';
import { invalid, readFields } from '../base/arguments.js';
import { readRequest, requestNames } from './request.js';
import { readTensor } from './tensor.js';

/** @typedef {import('./options.js').Tensor} Tensor */
/** @typedef {import('./options.js').TensorLike} TensorLike */
/** @typedef {import('./options.js').Recorded} Recorded */

/**
 * The options of `attention`, of which `record` is ignored, and one or both gradients of a loss: `outputGradient`, with
 * respect to `output` and in its shape; `weightsGradient`, with respect to `weights` and in their shape.
 * @typedef {(import('./attention.js').AttentionOptions<Recorded> | import('./attention.js').WeightsOptions<Recorded>) &
 *   {outputGradient?: TensorLike, weightsGradient?: TensorLike}} GradientOptions
 */

/**
 * Gradients of a loss with respect to the arguments that were given, each in the shape of its argument.
 * @typedef {object} Gradients
 * @property {Tensor} query
 * @property {Tensor} [key]
 * @property {Tensor} [value]
 * @property {Tensor} [memory] instead of `key` and `value`, if `memory` was given
 * @property {Record<string, Tensor>} parameters of the score, by name; the gradient of a number has the shape [1]
 * @property {{W_p?: Tensor, v_p?: Tensor, centres?: Tensor}} window
 * @property {{bias?: Tensor}} mask
 */

/**
 * The gradients of `attention`: from the gradients of its output or weights it computes those of all arguments. Soft, gating
 * and sparse selections pass gradients to logits and values. Argmax, sampled and max pooling pass them to values and through
 * a window's Gaussian. A key that a query does not see passes none. If heads share keys, values or parameters, their
 * gradients are added.
 *
 * Scores and weights are computed again, some queries at a time. So memory grows with the lengths, not with their product.
 * The first call loads a separate engine, which has the backward pass.
 * @param {GradientOptions} options
 * @returns {Promise<Gradients>} rejects as `attention` does
 */
export async function attentionGradient(options) {
  // Read the arguments.
  const given = readFields(options, 'attentionGradient', [...requestNames, 'outputGradient', 'weightsGradient']);
  const request = /** @type {any} */ (readRequest(given));
  const { output, weights } = shapesOf(request);
  if (given.outputGradient === undefined && given.weightsGradient === undefined) {
    throw invalid('outputGradient', 'a gradient of the output or of the weights is needed');
  }
  if (given.outputGradient !== undefined) {
    if (!output) throw invalid('outputGradient', 'without values there is no output: give weightsGradient');
    request.outputGradient = readOf(given.outputGradient, 'outputGradient', output);
  }
  if (given.weightsGradient !== undefined) {
    request.weightsGradient = readOf(given.weightsGradient, 'weightsGradient', weights);
  }
  const { bytes: _bytes, ...tensors } = request;
  request.bytes = 4 * bytesIn(tensors); // the tensors, their gradients, and a copy of each
  return finish(await withEngine((wasm) => wasm.attendGradient(request), 'gradients'), request);
}

/**
 * The shapes of the results of `attention`.
 * @param {ReturnType<typeof readRequest>} request
 * @returns {{output: number[] | null, weights: number[]}}
 */
function shapesOf({ query, key, value, valueIsKey, columns, concatenate, spread, hasHeads }) {
  const turned = (/** @type {number[]} */ [rows, width]) => (columns ? [width, rows] : [rows, width]);
  const [heads, ...ofHead] = query.shape;
  const [queries] = turned(ofHead);
  const [keys] = turned(key.shape.slice(1));
  const values = valueIsKey ? key : value;
  const axis = hasHeads ? [heads] : [];
  const weights = [...axis, ...turned([queries, keys])];
  if (!values) return { output: null, weights };
  const [, width] = turned(values.shape.slice(1));
  if (spread) return { output: [queries * width], weights };
  if (concatenate) return { output: turned([queries, heads * width]), weights };
  return { output: [...axis, ...turned([queries, width])], weights };
}

/**
 * @param {unknown} value
 * @param {string} name
 * @param {number[]} shape
 */
function readOf(value, name, shape) {
  const tensor = readTensor(value, name, [shape.length]);
  checkShape(name, tensor.shape, shape);
  return withHeads(tensor);
}

/**
 * Gives each gradient the shape of its argument.
 * @param {any} result
 * @param {any} request
 * @returns {Gradients}
 */
function finish(result, { query, key, value, valueIsKey, parameters, window, mask }) {
  const of = (/** @type {Tensor | undefined} */ gradient, /** @type {{given: number[]}} */ { given }) =>
    gradient ? { data: gradient.data, shape: given } : { data: new Float32Array(0), shape: given };
  /** @type {any} */
  const gradients = { query: of(result.query, query), parameters: {}, window: {}, mask: {} };
  gradients[valueIsKey ? 'memory' : 'key'] = of(result.key, key);
  if (value) gradients.value = of(result.value, value);
  for (const parameter of parameters)
    gradients.parameters[parameter.name] = of(result.parameters[parameter.name], parameter);
  for (const name of ['W_p', 'v_p', 'centres']) {
    if (window[name]) gradients.window[name] = of(result[name], window[name]);
  }
  if (mask.bias) gradients.mask.bias = of(result.bias, mask.bias);
  return gradients;
}

// Work that turns rows into rows: a product, an encoder.

import { encoderRows, productRows } from '../../inputs.mjs';
import { architectures } from '../../models/architectures.mjs';
import { encoderModel } from '../../onnx/encoder.mjs';
import { productModel } from '../../onnx/product.mjs';

/** @typedef {import('../onnxruntime.mjs').Runtime} Runtime */

/** @param {Runtime} runtime @param {Uint8Array} model @param {Float32Array} rows @param {number[]} shape */
async function prepareRows({ session, tensor }, model, rows, shape) {
  const opened = await session(model);
  const feeds = { x: tensor(rows, shape) };
  const run = () => opened.run(feeds);
  return { run, output: async () => (await run()).output.data, release: () => opened.release() };
}

/** @param {Runtime} runtime @param {import('../../workloads.mjs').Product} work */
export const prepareProduct = (runtime, work) =>
  prepareRows(runtime, productModel(work), productRows(work), [work.rows, work.inputs]);

/**
 * @param {Runtime} runtime
 * @param {import('../../workloads.mjs').Encoder} work
 * @param {import('../../onnx/encoder.mjs').EncoderGraph} graph
 */
export function prepareEncoder(runtime, { model, precision, length }, graph) {
  const shape = architectures[model];
  const rows = encoderRows(length, shape.d);
  return prepareRows(runtime, encoderModel(shape, precision, graph), rows, [1, length, shape.d]);
}

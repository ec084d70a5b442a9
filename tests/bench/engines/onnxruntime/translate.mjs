// Ids to ids: the encoder once, then one decoder step for each piece, whose keys and values are passed to the next
// step.

import { sourceIds } from '../../inputs.mjs';
import { architectures, kEnd, startPiece } from '../../models/architectures.mjs';
import { fixedShortlist } from '../../models/shortlist.mjs';
import { sourceModel, stepModel } from '../../onnx/translate.mjs';

/** @typedef {import('../onnxruntime.mjs').Runtime} Runtime */
/** @typedef {import('../../models/architectures.mjs').Architecture} Architecture */

/** @param {Runtime} runtime @param {import('../../workloads.mjs').Translate} work */
export async function prepareTranslation({ session, tensor }, work) {
  const shape = architectures[work.model];
  const shortlist = work.shortlist ? fixedShortlist(shape.vocabulary, work.outputs) : undefined;
  const integers = (values) => tensor(BigInt64Array.from(values, BigInt), [1, values.length]);
  const source = await session(sourceModel(shape, work.precision));
  const step = await session(stepModel(shape, work.precision, { shortlist }));
  const ids = sourceIds(work.length);

  async function translate(decoder, eachPiece) {
    const memory = await source.run({ ids: integers(ids), positions: integers(ids.map((_, i) => i)) });
    let past = emptyPast(shape, tensor);
    let next = integers([startPiece(shape)]);
    for (let position = 0; position < work.length; ++position) {
      const result = await decoder.run({ ids: next, positions: integers([position]), ...past, ...memory });
      next = result.next;
      past = renamed(shape, result);
      await eachPiece?.(result);
    }
  }

  /** The pieces, and the log-probability of the pieces up to each: see Written() of models_bench.cc. */
  async function output() {
    const scored = await session(stepModel(shape, work.precision, { shortlist, scores: true }));
    const pieces = [];
    const scores = [];
    await translate(scored, ({ next, score }) => {
      pieces.push(Number(next.data[0]));
      scores.push((scores.at(-1) ?? 0) + score.data[0]);
    });
    await scored.release();
    const last = work.length - 1; // the longest translation ends with </s>, whatever its probability
    return Float32Array.from([...pieces.slice(0, last), kEnd, ...scores.slice(0, last), scores[last - 1]]);
  }

  const release = async () => {
    await source.release();
    await step.release();
  };
  return { run: () => translate(step), ...(work.precision === 'f32' && { output }), release };
}

const kParts = ['k', 'v'];
const layersOf = ({ decoderLayers }) => Array.from({ length: decoderLayers }, (_, i) => i);

/** Nothing is read yet. @param {Architecture} shape @param {Runtime['tensor']} tensor @param {number} [rows] */
export function emptyPast(shape, tensor, rows = 1) {
  const empty = () => tensor(new Float32Array(0), [rows, shape.heads, 0, shape.d / shape.heads]);
  return Object.fromEntries(layersOf(shape).flatMap((i) => kParts.map((part) => [`past ${part} ${i}`, empty()])));
}

/** The outputs of one step are the inputs of the next. @param {Architecture} shape @param {Record<string, any>} result */
export function renamed(shape, result) {
  const pairs = (i) => kParts.map((part) => [`past ${part} ${i}`, result[`present ${part} ${i}`]]);
  return Object.fromEntries(layersOf(shape).flatMap(pairs));
}

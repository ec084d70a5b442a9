// Many sentences of one length, ids to ids, in batches: the encoder once a batch, then one step of the decoder for each
// piece.

import { architectures, startPiece } from '../../models/architectures.mjs';
import { idsOf, letters, speller, textsOf } from '../../models/texts.mjs';
import { beamStepModel, sourceModel, stepModel } from '../../onnx/translate.mjs';
import { emptyPast, renamed } from './translate.mjs';

/** @typedef {import('../onnxruntime.mjs').Runtime} Runtime */

/** Sentences of a batch. Of 10, 25, 50 and 100 it was the fastest, greedily and with a beam of 4. */
const kBatch = 50;

/** @param {Runtime} runtime @param {import('../../workloads.mjs').Lines} work */
export async function prepareLines({ session, tensor }, work) {
  const { model, precision, beam, length } = work;
  const shape = architectures[model];
  const source = await session(sourceModel(shape, precision));
  const step = await session(beam === 1 ? stepModel(shape, precision, {}) : beamStepModel(shape, precision, beam));
  const texts = idsOf(work);
  const integers = (values, dims) => tensor(BigInt64Array.from(values, BigInt), dims);

  /** The pieces of one batch's best hypotheses, without the </s> that ends every translation. @param {number[][]} batch */
  async function translate(batch) {
    const rows = batch.length * beam;
    const ids = integers(batch.flat(), [batch.length, length]);
    const places = Array.from({ length }, (_, i) => i);
    const memory = await source.run({ ids, positions: integers(places, [1, length]) });
    let past = emptyPast(shape, tensor, rows);
    let next = integers(Array(rows).fill(startPiece(shape)), [rows, 1]);
    let hypotheses = beam === 1 ? {} : firstHypotheses(tensor, integers, batch.length, beam);
    const steps = [];
    for (let position = 0; position < length; ++position) {
      const positions = integers([position], [1, 1]);
      const result = await step.run({ ids: next, positions, ...past, ...memory, ...hypotheses });
      next = result.next;
      past = renamed(shape, result);
      if (beam > 1) {
        hypotheses = { parents: result['next parents'], scores: result['next scores'], first: hypotheses.first };
      }
      steps.push({ pieces: next.data, parents: hypotheses.parents?.data });
    }
    return batch.map((_, sentence) => readBack(steps.slice(0, -1), sentence * beam));
  }

  async function run() {
    const all = [];
    for (let at = 0; at < texts.length; at += kBatch) all.push(...(await translate(texts.slice(at, at + kBatch))));
    return all;
  }

  const release = async () => {
    await source.release();
    await step.release();
  };
  const output = async () => letters((await run()).map(speller(model)));
  return { run, ...(precision === 'f32' && { output }), words: textsOf(work).words, release };
}

/** One hypothesis of each sentence counts at first; the others have no probability. */
function firstHypotheses(tensor, integers, sentences, beam) {
  const rows = Array.from({ length: sentences * beam }, (_, row) => row);
  const scores = Float32Array.from(rows, (row) => (row % beam === 0 ? 0 : -Infinity));
  return {
    parents: integers(rows, [rows.length]),
    scores: tensor(scores, [sentences, beam]),
    first: integers(
      rows.filter((row) => row % beam === 0),
      [sentences, 1],
    ),
  };
}

/** @param {{pieces: BigInt64Array, parents?: BigInt64Array}[]} steps @param {number} row of the last one */
function readBack(steps, row) {
  const pieces = [];
  for (const step of steps.toReversed()) {
    pieces.push(Number(step.pieces[row]));
    row = step.parents ? Number(step.parents[row]) : row;
  }
  return pieces.reverse();
}

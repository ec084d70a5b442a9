// The entry point 'qkv/explain': questions about a translation. An import does nothing.
import { QkvError } from '../base/errors.js';
import { inputText, invalid, readFields } from '../base/arguments.js';
import { kCarryOptions } from '../text/carry-options.js';

export { QkvError };

/** @typedef {import('../base/errors.js').QkvErrorCode} QkvErrorCode */
/** @typedef {import('../api/translator.js').Translator} Translator */
/** @typedef {import('../api/trace.js').Side} Side */
/** @typedef {import('../api/trace.js').TargetSide} TargetSide */

/**
 * A source and a target. Without a target, the question is about the model's own translation.
 * @typedef {{source: string, target?: string}} Question
 */

/** @typedef {import('../api/translate-options.js').CallOptions & import('../text/carry-options.js').CarryOptions} ExplainOptions */

/**
 * `data[layer * heads + head]`: how much log p(target | source), natural, falls without the head. Above 0: the head helped.
 * @typedef {{shape: [layers: number, heads: number], data: Float32Array}} HeadFalls
 */

/**
 * @typedef {object} HeadImportance
 * @property {Side} source
 * @property {TargetSide} target
 * @property {number} score log p(target | source) with all heads
 * @property {HeadFalls} encoder of the encoder's self-attention
 * @property {HeadFalls} decoder of the decoder's self-attention; [0, 0] if it has none
 * @property {HeadFalls} cross of cross attention
 */

/**
 * @typedef {object} NeededWords
 * @property {Side} source
 * @property {TargetSide} target
 * @property {number} score log p(target | source) with all pieces
 * @property {[targets: number, sources: number]} shape that of a trace's alignment
 * @property {Float32Array} data `data[t * sources + s]`: how much the log-probability of target piece t, natural, falls
 *   without source piece s. Above 0: the piece was needed
 */

/**
 * @typedef {object} EncoderFlow
 * @property {Side} source
 * @property {[rows: number, pieces: number]} shape
 * @property {Float32Array} data `data[row * pieces + piece]`: how much of a piece reaches a row of the last layer, from 0
 *   to 1
 */

/**
 * Measures which heads matter for a translation: switches off each head in turn (Michel et al. 2019, Voita et al. 2019).
 * @param {Translator} translator created with `interventions: true`
 * @param {Question} question
 * @param {ExplainOptions} [options]
 * @returns {Promise<HeadImportance>} rejects as `trace` does
 */
export async function headImportance(translator, question, options) {
  const { source, target, score, heads } = await ask(translator, 'heads', question, options);
  return /** @type {HeadImportance} */ ({ source, target, score, ...heads });
}

/**
 * Measures which source words each target word needed: hides each source piece in turn from all cross attention
 * (leave-one-out).
 * @param {Translator} translator created with `interventions: true`
 * @param {Question} question
 * @param {ExplainOptions} [options]
 * @returns {Promise<NeededWords>} rejects as `trace` does
 */
export async function neededWords(translator, question, options) {
  const { source, target, score, matrix } = await ask(translator, 'words', question, options);
  return /** @type {NeededWords} */ ({ source, target, score, ...matrix });
}

/**
 * Attention rollout (Abnar and Zuidema 2020): the product of the encoder's layers, each 0.5 A + 0.5 I, where A is the
 * mean of its heads. Its rows sum to 1. It ignores values, norms and feed-forward blocks.
 * @param {Translator} translator created with `interventions: true`
 * @param {string} text one sentence
 * @param {ExplainOptions} [options]
 * @returns {Promise<EncoderFlow>} rejects as `trace` does
 */
export const attentionRollout = (translator, text, options) => flow(translator, 'rollout', text, options);

/**
 * Attention flow (Abnar and Zuidema 2020): the maximum flow from a row of the last layer to each piece, in the network
 * whose capacities are the layers of `attentionRollout`.
 * @param {Translator} translator created with `interventions: true`
 * @param {string} text one sentence, of at most 128 pieces
 * @param {ExplainOptions} [options]
 * @returns {Promise<EncoderFlow>} rejects as `trace` does, and with LIMIT_EXCEEDED for a longer text
 */
export const attentionFlow = (translator, text, options) => flow(translator, 'flow', text, options);

/**
 * @param {Translator} translator
 * @param {'rollout' | 'flow'} which
 * @param {string} text
 * @param {ExplainOptions} [options]
 * @returns {Promise<EncoderFlow>}
 */
async function flow(translator, which, text, options) {
  // The encoder does not read the target. With an empty one no search is needed.
  const { source, matrix } = await ask(translator, which, { source: text, target: '' }, options);
  return /** @type {EncoderFlow} */ ({ source, ...matrix });
}

/**
 * @param {Translator} translator
 * @param {'heads' | 'words' | 'rollout' | 'flow'} which
 * @param {Question} question
 * @param {ExplainOptions} [options]
 */
async function ask(translator, which, question, options) {
  const { source, target } = readFields(question, 'explain', ['source', 'target']);
  const given = readFields(options, 'explain', ['signal', ...kCarryOptions]);
  if (typeof translator?.explain !== 'function') throw invalid('translator', 'expected a Translator');
  const pair = {
    source: inputText(source, 'source'),
    target: target === undefined ? target : inputText(target, 'target'),
  };
  return translator.explain(which, pair, given);
}

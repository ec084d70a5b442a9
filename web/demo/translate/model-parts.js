// The parts of a model, in the order in which a sentence passes them. They are found from a trace.

import { headsOf, isGates } from '../../view/trace.js';

/** @typedef {import('../../view/trace.js').Kind} Kind */
/** @typedef {import('../../view/trace.js').Trace} Trace */
/** @typedef {{dModel?: number, encoderLayers?: number, decoderLayers?: number, vocabularySize?: number, parameters?: number}} Model */

/**
 * A part that can be opened.
 * @typedef {object} Part
 * @property {'embedding' | 'attention' | 'feedForward' | 'recurrent' | 'memory' | 'output'} type
 * @property {'encoder' | 'decoder'} side
 * @property {number} layer from 0
 * @property {Kind} [kind] of attention
 * @property {number} [head] of attention, from 0
 * @property {boolean} [gates] the forget gates of an SSRU, which stand where self-attention has heads
 */

/** A row of the drawing: one part, or the heads of an attention. @typedef {{name: string, parts: Part[]}} Block */
/** A layer, or the parts before or after the layers. @typedef {{name: string, blocks: Block[]}} Group */

const kMostLayers = 100; // a trace from a file may say any number

/**
 * @param {Trace & {model?: Model}} trace of a source and a target
 * @returns {{encoder: Group[], decoder: Group[], isRecurrent: boolean}}
 */
export function partsOf(trace) {
  const isRecurrent = headsOf(trace, 'decoderSelf')[0] === 0;
  return { ...(isRecurrent ? recurrent(trace) : transformer(trace)), isRecurrent };
}

/** @param {Trace & {model?: Model}} trace */
function transformer(trace) {
  const layersOf = (/** @type {Part['side']} */ side, /** @type {Kind[]} */ kinds) =>
    layers(headsOf(trace, kinds[0])[0], (layer) => [
      ...kinds.map((kind) => attention(trace, side, kind, layer)),
      { name: 'feed-forward', parts: [{ type: 'feedForward', side, layer }] },
    ]);
  return {
    encoder: [embedding('encoder'), ...layersOf('encoder', ['encoderSelf']), memory],
    decoder: [embedding('decoder'), ...layersOf('decoder', ['decoderSelf', 'cross']), output],
  };
}

/** @param {Trace & {model?: Model}} trace */
function recurrent(trace) {
  const layersOf = (/** @type {Part['side']} */ side, /** @type {number | undefined} */ count) =>
    layers(depth(count), (layer) => [{ name: 'recurrent', parts: [{ type: 'recurrent', side, layer }] }]);
  const attentionOf = (/** @type {Part['side']} */ side, /** @type {Kind} */ kind) =>
    layers(headsOf(trace, kind)[0], (layer) => [attention(trace, side, kind, layer)], 'each step');
  const { encoderLayers, decoderLayers } = trace.model ?? {};
  return {
    encoder: [
      embedding('encoder'),
      ...layersOf('encoder', encoderLayers),
      ...attentionOf('encoder', 'encoderSelf'),
      memory,
    ],
    decoder: [embedding('decoder'), ...layersOf('decoder', decoderLayers), ...attentionOf('decoder', 'cross'), output],
  };
}

/** @param {number | undefined} layers */
const depth = (layers) => (Number.isInteger(layers) ? Math.min(Math.max(Number(layers), 1), kMostLayers) : 1);

/** @param {number} count @param {(layer: number) => Block[]} blocks @param {string} [name] @returns {Group[]} */
const layers = (count, blocks, name) =>
  Array.from({ length: count }, (_, layer) => ({ name: name ?? `layer ${layer + 1}`, blocks: blocks(layer) }));

/** @param {Part['side']} side @returns {Group} */
const embedding = (side) => ({
  name: '',
  blocks: [{ name: 'embedding', parts: [{ type: 'embedding', side, layer: 0 }] }],
});
/** @type {Group} */
const memory = {
  name: '',
  blocks: [{ name: 'encoder output', parts: [{ type: 'memory', side: 'encoder', layer: 0 }] }],
};
/** @type {Group} */
const output = { name: '', blocks: [{ name: 'output', parts: [{ type: 'output', side: 'decoder', layer: 0 }] }] };

/** @param {Trace} trace @param {Part['side']} side @param {Kind} kind @param {number} layer @returns {Block} */
function attention(trace, side, kind, layer) {
  const [, heads] = headsOf(trace, kind);
  const parts = Array.from({ length: heads }, (_, head) => {
    return { type: /** @type {const} */ ('attention'), side, layer, kind, head, gates: isGates(trace, kind, head) };
  });
  if (parts.every(({ gates }) => gates)) return { name: 'SSRU', parts };
  return { name: kind === 'cross' ? 'cross attention' : 'self-attention', parts };
}

/** A part in an address: `cross.2.1`, counted from 1. @param {Part} part */
export function nameOf({ type, side, kind, layer, head }) {
  if (type === 'attention') return `${kind}.${layer + 1}.${Number(head) + 1}`;
  return type === 'feedForward' || type === 'recurrent' ? `${type}.${side}.${layer + 1}` : `${type}.${side}`;
}

/** Whether a text can be the name of a part. @param {string | null} text @returns {text is string} */
export const isPartName = (text) => /^[a-zA-Z]{5,12}\.(encoder|decoder|\d{1,3})(\.\d{1,3})?$/.test(text ?? '');

/**
 * The info of a loaded model.
 * @typedef {object} ModelInfo
 * @property {string} name 'en-fr' for the package's own; otherwise the last part of its URL
 * @property {number} parameters the number of its weights
 * @property {number} bytes of its weights in memory
 * @property {number} dModel the width of its layers
 * @property {number} encoderLayers
 * @property {number} decoderLayers
 * @property {number} encoderHeads in each encoder layer
 * @property {number} decoderHeads in each decoder layer
 * @property {number} vocabularySize
 * @property {number} maxLength the most pieces of a translation
 * @property {number} beam hypotheses that the search keeps
 * @property {boolean} shortlist whether it has a list of likely pieces for each piece of the source (shortlist.bin)
 * @property {'attention' | 'stand-ins' | 'none'} copy where the engine puts numbers and names that the translation lost.
 *   'attention': where the model's attention points; 'stand-ins': at the end, because the model has no attention; 'none':
 *   nothing is carried through, because its vocabulary is too small (docs/carried.md)
 * @property {[layer: number, head: number][]} alignmentHeads the cross-attention heads that align best; empty if
 *   they are not known
 */

/**
 * @typedef {object} EngineInfo
 * @property {'baseline' | 'relaxed' | 'threads' | 'custom'} engine which build of the engine runs
 * @property {number} threads how many threads compute
 * @property {boolean} worker whether it runs in a worker
 * @property {boolean} [interventions] whether calls may change the model's attention
 */

/**
 * @typedef {ModelInfo & EngineInfo & {legs?: TranslatorInfo[]}} TranslatorInfo `legs`: the info of each of two models that translate one after the other
 */

export {};

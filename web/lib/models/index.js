// The entry point 'qkv/models'. An import does nothing. Its engine is loaded with the first model.

export { QkvError } from '../base/errors.js';
export { Translator } from '../api/translator.js';
export { Encoder } from './encoder.js';
export { Generator } from './generator.js';
export { inspect, load } from './load.js';

/** @typedef {import('../base/errors.js').QkvErrorCode} QkvErrorCode */
/** @typedef {import('../engine/models/directory.js').TensorInfo} TensorInfo */
/** @typedef {import('./encoder.js').EncodedText} EncodedText */
/** @typedef {import('./encoder.js').EncoderInfo} EncoderInfo */
/** @typedef {import('./encoder.js').EncoderTrace} EncoderTrace */
/** @typedef {import('./encoder.js').FoundAnswer} FoundAnswer */
/** @typedef {import('./encoder.js').LabelScore} LabelScore */
/** @typedef {import('./encoder.js').MaskGuess} MaskGuess */
/** @typedef {import('./encoder.js').Pieces} Pieces */
/** @typedef {import('./encoder.js').Tag} Tag */
/** @typedef {import('../loading/folder-source.js').AnyModelOption} AnyModelOption */
/** @typedef {import('./generator.js').Generated} Generated */
/** @typedef {import('./generator.js').GenerateOptions} GenerateOptions */
/** @typedef {import('./generator.js').GeneratorInfo} GeneratorInfo */
/** @typedef {import('./generator.js').GeneratorTrace} GeneratorTrace */
/** @typedef {import('./generator.js').Likeliest} Likeliest */
/** @typedef {import('./open-model.js').LoadOptions} LoadOptions */
/** @typedef {import('./load.js').FolderInfo} FolderInfo */
/** @typedef {import('./load.js').Languages} Languages */

// Decoder-only models: they continue a text.
import { withSignals } from '../base/abort.js';
import {
  described,
  inRange,
  inputText,
  invalid,
  maxLength as longest,
  readFields,
  wholeNumber,
} from '../base/arguments.js';
import { folderSource } from '../loading/folder-source.js';
import { openModel } from './open-model.js';
import { OneSided, changes, checkKind } from './one-sided.js';

/** @typedef {import('../hosting/model-reference.js').ModelReference} ModelReference */
/** @typedef {import('../loading/folder-source.js').AnyModelOption} AnyModelOption */
/** @typedef {import('./open-model.js').LoadOptions} LoadOptions */

/** @typedef {Omit<import('./encoder.js').EncoderInfo, 'kind' | 'head' | 'labels' | 'mask'> & {kind: 'generator'}} GeneratorInfo */

/**
 * @typedef {object} GenerateOptions
 * @property {AbortSignal | null} [signal] aborts the call, with its reason
 * @property {number} [maxLength] the most pieces to write; default: 64. The prompt is not cut for it. The text may
 *   end earlier, at the model's last position
 * @property {number} [temperature] divides the logits; 0: always take the likeliest piece; above 1: more random;
 *   default: the model's own
 * @property {number} [topK] draw from this many of the likeliest pieces; 0: from all; default: the model's own
 * @property {number} [topP] draw from the fewest pieces whose probabilities reach this sum; default: the model's own
 * @property {number} [repetitionPenalty] above 1: pieces that have already occurred become less likely; default: the
 *   model's own
 * @property {string | string[]} [stop] the text ends before the first of these strings
 * @property {number} [seed] a whole number; the same seed draws the same pieces; default: 0
 * @property {boolean} [promptLookup] false: compute one piece at a time. Default: true. Pieces that may follow are
 *   copied from earlier in the text, and checked in one pass. This takes less time and gives the same text, to the bit
 * @property {number} [alternatives] also return this many of the likeliest pieces at each step
 * @property {import('./one-sided.js').Intervention[]} [interventions] changes to the model's attention
 *   (docs/interventions.md)
 */

/** @typedef {{pieces: string[], ids: Int32Array, logProbs: Float32Array}} Likeliest best first; natural logarithms */

/**
 * @typedef {object} Generated
 * @property {string} text the continuation, without the prompt
 * @property {string[]} pieces
 * @property {Int32Array} ids
 * @property {Float32Array} logProbs of each piece, by the model's own distribution
 * @property {Likeliest[]} alternatives for each piece, if requested
 * @property {'length' | 'end' | 'stop'} end why the text ends: at `maxLength`, at the model's end piece, before a `stop`
 * @property {boolean} truncated whether the beginning of the prompt was not read, because it had more pieces than the model has positions
 */

/**
 * @typedef {import('./encoder.js').Pieces & {logProbs: Float32Array, alternatives: Likeliest, decoderSelf:
 *   import('./encoder.js').Tensor, interventions?: import('./one-sided.js').Intervention[]}} GeneratorTrace `decoderSelf` [layers, heads, pieces, pieces]: row t is the
 *   attention of the step that has read piece t; `logProbs` of each piece but the first; `alternatives`: 5 for each
 *   piece, one piece after the other
 */

const kInternal = Symbol('internal');
const kMostNext = 10_000;
const kGenerate = [
  ...['signal', 'maxLength', 'temperature', 'topK', 'topP', 'repetitionPenalty'],
  ...['stop', 'seed', 'promptLookup', 'alternatives', 'interventions'],
];

/**
 * GPT-2 and similar models, from folders as they are published.
 *
 *     const generator = await Generator.load('/models/gpt2/');
 *     for await (const text of generator.stream('Once upon a time')) console.log(text);
 */
export class Generator extends OneSided {
  /** The minifier renames classes; this is the name that users see. @override */
  static name = 'Generator';
  /** The model and its engine. @readonly @type {Readonly<GeneratorInfo>} */
  info;

  /**
   * @private use Generator.load()
   * @param {symbol} key
   * @param {ModelReference} reference
   * @param {GeneratorInfo} info
   */
  constructor(key, reference, info) {
    if (key !== kInternal) throw new TypeError('Illegal constructor: use Generator.load()');
    super(reference);
    this.info = Object.freeze(info);
  }

  /**
   * @param {AnyModelOption} model
   * @param {LoadOptions} [options]
   * @returns {Promise<Generator>} rejects with a QkvError that says what is wrong with the folder
   */
  static async load(model, options) {
    const { reference, info } = await openModel(folderSource(model), options);
    return Generator.on(reference, info);
  }

  /**
   * @param {ModelReference} reference
   * @param {any} info
   * @internal
   */
  static on(reference, info) {
    checkKind(info.kind, 'generator', () => reference.release());
    return new Generator(kInternal, reference, info);
  }

  /**
   * Continues a text.
   * @param {string} prompt may be empty
   * @param {GenerateOptions} [options]
   * @returns {Promise<Generated>}
   */
  async generate(prompt, options) {
    const { signal, ...choices } = readFields(options, 'generate', kGenerate);
    return this.call('generate', { prompt: inputText(prompt, 'prompt'), options: checked(choices) }, signal);
  }

  /**
   * The continuation as a stream of strings. Text is generated when the reader requests it. Cancelling the stream ends the
   * call.
   * @param {string} prompt
   * @param {GenerateOptions} [options]
   * @returns {ReadableStream<string>}
   */
  stream(prompt, options) {
    const { signal, ...choices } = readFields(options, 'stream', kGenerate);
    const args = { prompt: inputText(prompt, 'prompt'), options: checked(choices), paced: true };
    const next = settledParts(args.options.stop);
    const cancelled = new AbortController();
    // `isWanted`: the reader waits for a part. `goOn`: lets the engine generate the next piece.
    let isWanted = false;
    let goOn = () => {};
    /** Gives the reader a part, and waits until it wants the next one. @type {(to: Controller, part: string) => unknown} */
    const giveReader = (to, part) => {
      if (part === '') return;
      isWanted = false;
      to.enqueue(part);
      if (!isWanted) return new Promise((/** @type {(nothing: void) => void} */ resolve) => (goOn = resolve));
    };
    const write = async (/** @type {Controller} */ to) => {
      try {
        const { text } = await withSignals([cancelled.signal, signal], (both) =>
          this.call('generate', args, both, (text) => giveReader(to, next(text))),
        );
        giveReader(to, next(text, true));
        to.close();
      } catch (error) {
        if (!cancelled.signal.aborted) to.error(error);
      }
    };
    // The call starts with the first read.
    /** @type {Promise<void> | undefined} */
    let writing;
    return new ReadableStream(
      {
        pull: (to) => {
          isWanted = true;
          writing ??= write(to);
          goOn();
        },
        cancel: (reason) => cancelled.abort(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /**
   * The probability of each piece to be the next of a text, by the model's own distribution.
   * @param {string} text may be empty
   * @param {import('./encoder.js').CallOptions & {count?: number}} [options] `count`: the number of likeliest
   *   pieces to return; default: 1000
   * @returns {Promise<Likeliest>}
   */
  async next(text, options) {
    const { signal, count = 1000, interventions } = readFields(options, 'next', ['signal', 'count', 'interventions']);
    const most = wholeNumber(count, 1, kMostNext, 'count');
    const choices = { maxLength: 1, temperature: 0, alternatives: most, ...changes(interventions) };
    const { alternatives } = await this.call('generate', { prompt: inputText(text), options: choices }, signal);
    return alternatives[0];
  }

  /**
   * Every attention weight of one pass over a text, and the likeliest next pieces at each place.
   * @param {string} text
   * @param {import('./encoder.js').CallOptions} [options]
   * @returns {Promise<GeneratorTrace>}
   */
  async trace(text, options) {
    const { signal, interventions } = readFields(options, 'trace', ['signal', 'interventions']);
    const changed = changes(interventions);
    const args = { text: inputText(text), options: { alternatives: 5, ...changed } };
    const trace = await this.call('traceText', args, signal);
    return changed.interventions ? { ...trace, interventions: JSON.parse(changed.interventions) } : trace;
  }
}

/** @typedef {ReadableStreamDefaultController<string>} Controller */

/**
 * Returns a function that gives the new part of a growing text. The end of the text may be the beginning of a stop string,
 * which is removed later. So this end is held back.
 * @param {string[]} [stops]
 * @returns {(text: string, isLast?: boolean) => string}
 */
function settledParts(stops = []) {
  const held = Math.max(0, ...stops.map((stop) => stop.length - 1));
  let written = 0;
  return (text, isLast = false) => {
    const begin = written;
    written = Math.max(begin, isLast ? text.length : text.length - held);
    return text.slice(begin, written);
  };
}

/** Checks the options, and copies them for the engine. @param {Omit<GenerateOptions, 'signal'>} options */
function checked({ maxLength, temperature, topK, topP, repetitionPenalty, stop, seed, ...others }) {
  const { promptLookup, alternatives, interventions } = others;
  if (promptLookup !== undefined && typeof promptLookup !== 'boolean') {
    throw invalid('promptLookup', `promptLookup is true or false, not ${described(promptLookup)}`);
  }
  // Each number has its range; undefined stands for the model's own value.
  const check = (
    /** @type {number | undefined} */ value,
    /** @type {number} */ least,
    /** @type {number} */ most,
    /** @type {string} */ name,
    isIn = inRange,
  ) => (value === undefined ? undefined : isIn(value, least, most, name));
  return {
    maxLength: longest(maxLength),
    temperature: check(temperature, 0, 100, 'temperature'),
    topK: check(topK, 0, 1e9, 'topK', wholeNumber),
    topP: check(topP, 1e-9, 1, 'topP'),
    repetitionPenalty: check(repetitionPenalty, 0.01, 100, 'repetitionPenalty'),
    seed: check(seed, 0, Number.MAX_SAFE_INTEGER, 'seed', wholeNumber),
    promptLookup,
    alternatives: check(alternatives, 0, 1000, 'alternatives', wholeNumber),
    ...changes(interventions),
    stop: stop === undefined ? undefined : [stop].flat().map((text) => inputText(text, 'stop')),
  };
}

/// <reference lib="esnext.disposable" preserve="true" />
import { stoppableStream, unlessAborted, withSignals } from '../base/abort.js';
import { QkvError, domException, loadedPart, toPublicError } from '../base/errors.js';
import {
  described,
  inputText,
  invalid,
  kInputQuota,
  maxLength as longest,
  readFields,
  wholeNumber,
} from '../base/arguments.js';
import { kCarryOptions, readCarry } from '../text/carry-options.js';
import { monitored } from './progress.js';
import { needsModels, withBlobs } from '../loading/model-source.js';
import { parts } from './parts.js';
import { isSeveral, modelsOf } from './settings.js';
import { startEngine, startTools, stateOf } from './start.js';
import { makeSearch } from './search.js';
import { languageToken, splitSentences } from '../text/sentences.js';
import { canonicalTag } from '../text/canonical.js';
import { nextTask } from '../base/runtime.js';
import { copied } from '../base/snapshot.js';
import { asInterface } from '../webidl/interface.js';
import { makeTrace } from './trace.js';

/** @typedef {import('./start.js').RunningEngine} RunningEngine */
/** @typedef {import('../text/sentences.js').Part} Part */
/** @typedef {import('../engine/engine.js').AlignedPart} AlignedPart */
/** @typedef {import('../engine/engine.js').TranslatedPart} TranslatedPart */
/** @typedef {import('../engine/info.js').TranslatorInfo} TranslatorInfo */
/** @typedef {import('./search.js').Search} Search */
/** @typedef {import('./trace.js').Trace} Trace */
/** @typedef {import('./translate-options.js').LanguagePair} LanguagePair */
/** @typedef {import('./translate-options.js').ModelOption} ModelOption */
/** @typedef {import('./translate-options.js').CreateOptions} CreateOptions */
/** @typedef {import('./translate-options.js').CallOptions} CallOptions */
/** @typedef {import('./translate-options.js').StreamOptions} StreamOptions */
/** @typedef {import('./translate-options.js').Prefix} Prefix */
/** @typedef {import('./translate-options.js').TranslateOptions} TranslateOptions */
/** @typedef {import('./translate-options.js').FragmentOptions} FragmentOptions */
/** @typedef {import('./translate-options.js').HtmlOptions} HtmlOptions */
/** @typedef {import('./translate-options.js').SearchOptions} SearchOptions */
/** @typedef {import('./translate-options.js').TraceOptions} TraceOptions */
/** @typedef {import('./translate-options.js').Choice} Choice */
/** @typedef {import('./interventions.js').Intervention} Intervention */
/** @typedef {{source: string, target: string}} SentencePair */

/**
 * @typedef {object} Score
 * @property {number} score the sum of `logProbs`
 * @property {string[]} pieces of the target; the last one is '</s>'
 * @property {Float32Array} logProbs the natural logarithm of each piece's probability
 */

/** The most ids of a prefix: more than any translation has. */
const kLongestPrefix = 100_000;
const kInternal = Symbol('internal');

// The options of each call, by name.
const kPair = ['sourceLanguage', 'targetLanguage'];
const kModel = [...kPair, 'model', 'models', 'registry', 'pivotLanguage', 'baseUrl', 'store'];
const kCreate = [...kModel, 'monitor', 'signal', 'worker', 'wasm', 'threads', 'workers', 'beam', 'interventions'];
const kPlain = ['signal', 'shortlist', 'maxLength', ...kCarryOptions];
const kTranslate = ['split', 'prefix', 'format', 'parser', 'interventions', ...kPlain];
const kSearch = ['beam', 'nBest', 'tree', 'prefix', 'interventions', ...kPlain];
const kTrace = ['sentence', 'prefix', 'vectors', 'interventions', ...kPlain];
const kScore = ['signal', 'interventions', ...kCarryOptions];
const kTracePair = ['vectors', ...kScore];

/**
 * @param {unknown} options
 * @param {string} name of the function that takes them
 * @returns {CreateOptions} with copies of its lists, because they are read after an await
 */
function readCreate(options, name) {
  const given = readFields(options, name, kCreate);
  if (Array.isArray(given.model)) given.model = [...given.model];
  if (given.registry) given.registry = copied(given.registry);
  return /** @type {CreateOptions} */ (given);
}

/**
 * Translates with the interface of browsers' built-in Translator, and shows the attention of the model.
 *
 *     const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
 *     await translator.translate('How are you?');
 *
 * Errors are DOMExceptions with a `QkvError` as `cause` if the Translator specification has one for the case. All other
 * errors are QkvErrors. An aborted call rejects with its signal's reason. Lone surrogates in a text count as U+FFFD.
 */
export class Translator {
  static {
    asInterface(this, 'Translator');
  }
  /** BCP 47, in the canonical spelling. @readonly */
  sourceLanguage;
  /** BCP 47, in the canonical spelling. @readonly */
  targetLanguage;
  /** The largest allowed result of `measureInputUsage`, in UTF-16 units. @readonly */
  inputQuota = kInputQuota;
  /** The model and its engine. @readonly @type {Readonly<TranslatorInfo>} */
  info;
  #engine;
  #life = new AbortController();

  /**
   * @private use Translator.create()
   * @param {symbol} key
   * @param {RunningEngine} engine
   * @param {LanguagePair} languages
   * @param {TranslatorInfo} info
   */
  constructor(key, engine, { sourceLanguage, targetLanguage }, info) {
    if (key !== kInternal) throw new TypeError('Illegal constructor: use Translator.create()');
    this.#engine = engine;
    this.sourceLanguage = canonicalTag(sourceLanguage);
    this.targetLanguage = canonicalTag(targetLanguage);
    this.info = Object.freeze(info);
  }

  /**
   * Whether `create` with the same options has a model for this pair, and whether the model is on this device: in memory, or
   * kept from an earlier visit. Downloads no model.
   * @param {LanguagePair & Pick<CreateOptions, 'model' | 'models' | 'registry' | 'pivotLanguage' | 'baseUrl' | 'store'>} options
   * @returns {Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>}
   */
  static async availability(options) {
    const given = readCreate(options, 'Translator.availability');
    try {
      const models = modelsOf(given);
      if (!isSeveral(given)) return await stateOf(models[0]);
      return await (await loadedPart(parts.more)).stateOfSeveral(given, models, startTools);
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotSupportedError') return 'unavailable';
      throw error;
    }
  }

  /**
   * Loads a model into an engine. Translators with the same settings share one engine, and one copy of a model.
   *
   * Rejects with NotSupportedError (the language pair), NetworkError (a download), the signal's reason, or a QkvError
   * that says what is wrong with the model's files.
   * @param {CreateOptions} options
   * @returns {Promise<Translator>}
   */
  static async create(options) {
    const given = readCreate(options, 'Translator.create');
    const { signal, beam = 0, threads = 1, workers = 1 } = given;
    signal?.throwIfAborted();
    wholeNumber(beam, 0, 64, 'beam');
    wholeNumber(threads, 1, 16, 'threads');
    wholeNumber(workers, 1, 16, 'workers');
    const isPlain = !isSeveral(given);
    if (given.interventions && (!isPlain || workers > 1)) {
      throw invalid('interventions', 'they are for one model in one worker');
    }
    const models = modelsOf(given);
    // Copy options that are read after an await, or a second time by another engine.
    if (!isPlain || workers > 1 || given.interventions || needsModels(models[0].source)) {
      for (const model of models) model.source = withBlobs(model.source);
      given.wasm = copied(given.wasm);
    }
    const report = monitored(given.monitor);
    report(0);
    try {
      const { engine, info } = isPlain
        ? await startEngine(given, models[0], report)
        : await (await loadedPart(parts.more)).startSeveral(given, models, report, startTools);
      report(1);
      if (signal?.aborted) engine.release(); // a listener of the last event may have aborted the signal
      signal?.throwIfAborted();
      return Translator.on(engine, info, given);
    } catch (error) {
      throw toPublicError(error);
    }
  }

  /**
   * @param {RunningEngine} engine
   * @param {any} info of the loaded model
   * @param {LanguagePair & {beam?: number}} options
   * @internal
   */
  static on(engine, { kind, ...info }, options) {
    const interventions = kind !== undefined; // only the engine of `qkv/models` has this field
    return new Translator(kInternal, engine, options, { ...info, beam: options.beam || info.beam, interventions });
  }

  /**
   * The translation of a text. Its sentences are translated one by one. The white space between them is kept.
   * `translateParts` says whether a translation was cut.
   * @param {string} text at most `inputQuota` UTF-16 units; with `format: 'html'` HTML
   * @param {TranslateOptions | HtmlOptions} [options]
   * @returns {Promise<string>} rejects with QuotaExceededError, AbortError after `destroy()`, or the signal's reason
   */
  async translate(text, options) {
    const given = readFields(options, 'translate', kTranslate);
    if (given.format !== 'html') return (await this.#parts(text, given)).map((part) => part.translation).join('');
    const { signal, parser, split, ...choice } = given;
    const how = { signal, split, ...this.#choice(choice) };
    const html = inputText(text);
    return (await loadedPart(parts.markup)).translateHtml(this, html, how, parser);
  }

  /**
   * Translates the texts in an element, a fragment or a document in place. Its elements stay. Scripts, code and elements with
   * translate="no" do not change (docs/markup.md).
   * @param {Node} node
   * @param {FragmentOptions} [options]
   * @returns {Promise<void>} rejects as `translate` does; texts that are already translated stay so
   */
  async translateFragment(node, options) {
    const { signal, ...choice } = readFields(options, 'translateFragment', kPlain);
    const how = { signal, ...this.#choice(choice) };
    return (await loadedPart(parts.markup)).translateNode(this, node, how);
  }

  /**
   * The translation of a text, sentence by sentence, with details of each sentence. The translations, joined, are the result
   * of `translate`.
   * @param {string} text at most `inputQuota` UTF-16 units
   * @param {TranslateOptions} [options]
   * @returns {Promise<TranslatedPart[]>} the sentences and the white space between them; rejects as `translate` does
   */
  async translateParts(text, options) {
    return this.#parts(text, readFields(options, 'translate', kTranslate));
  }

  /**
   * @param {string} text
   * @param {any} given as a caller gives it
   * @returns {Promise<TranslatedPart[]>}
   */
  async #parts(text, { signal, prefix, split = prefix === undefined, format = 'text', parser, ...choice }) {
    if (format !== 'text' || parser) throw invalid('format', "it is 'text' or, in translate(), 'html'");
    return this.#call('translate', this.#translation(text, split, { prefix, ...choice }), signal);
  }

  /**
   * Translates sentences that have been found already, and returns the alignment of each.
   * @param {Part[]} parts
   * @param {CallOptions & {copy?: boolean}} options `signal`, and the result of `#choice`
   * @returns {Promise<AlignedPart[]>}
   * @internal
   */
  async translateAligned(parts, { signal, ...choice }) {
    const args = { text: '', parts, language: '', align: true, ...this.#how(true), beam: this.info.beam, ...choice };
    return this.#call('translate', args, signal);
  }

  /**
   * Translates a text as one sentence. Returns the best hypotheses with their scores and, on request, the record of the
   * search. A trace has the likeliest alternatives of each piece, with their probabilities.
   * @param {string} text at most `inputQuota` UTF-16 units
   * @param {SearchOptions} [options]
   * @returns {Promise<Search>} rejects as `translate` does, and with a QkvError of code INVALID_ARGUMENT for a beam, an
   *   nBest or a prefix out of range
   */
  async search(text, options) {
    const {
      signal,
      beam = this.info.beam,
      nBest = beam,
      tree = false,
      ...choice
    } = readFields(options, 'search', kSearch);
    wholeNumber(beam, 1, 64, 'beam');
    wholeNumber(nBest, 1, beam, 'nBest');
    const source = inputText(text);
    const args = { text: source, nBest, tree, ...this.#choice(choice), beam };
    return makeSearch(await this.#call('search', args, signal), source, beam, tree);
  }

  /**
   * The translation of a text as a stream of strings, sentence by sentence, with the white space between them. A
   * sentence is translated when the reader requests it; cancelling the stream aborts the current one.
   * @param {string} text at most `inputQuota` UTF-16 units
   * @param {StreamOptions} [options]
   * @returns {ReadableStream<string>} errors as `translate` rejects, immediately after an abort or `destroy()`; throws if one
   *   of these came before the call
   */
  translateStreaming(text, options) {
    const { signal, ...choice } = readFields(options, 'translateStreaming', kPlain);
    const how = { ...this.#how(false), ...this.#choice(choice), language: languageToken(text) };
    const parts = splitSentences(inputText(text), this.sourceLanguage, this.#longest).values();
    return stoppableStream([this.#life.signal, signal], async (stopped) => {
      const { value: part, done } = parts.next();
      if (done || !part.sentence) return { value: part?.text, done };
      const [{ translation }] = await this.#call('translate', { text: part.text, ...how }, stopped);
      return { value: translation, done };
    });
  }

  /**
   * Translates a text as one sentence, and returns all attention weights.
   * @overload
   * @param {string} text
   * @param {TraceOptions} [options]
   * @returns {Promise<Trace>}
   */
  /**
   * The attention weights of the model when its target is given.
   * @overload
   * @param {SentencePair} pair any two sentences; the target need not be the model's own
   * @param {CallOptions & import('../text/carry-options.js').CarryOptions & {vectors?: boolean, interventions?: Intervention[]}} [options]
   * @returns {Promise<Trace>}
   */
  /**
   * @param {string | SentencePair} input
   * @param {TraceOptions} [options]
   * @returns {Promise<Trace>}
   */
  async trace(input, options) {
    const isText = typeof input === 'string';
    const { signal, sentence, vectors, ...choice } = readFields(options, 'trace', isText ? kTrace : kTracePair);
    const pair = isText
      ? { source: this.#sentence(input, sentence) }
      : readFields(input, 'trace', ['source', 'target']);
    const source = inputText(pair.source, 'source');
    const target = isText ? null : inputText(pair.target, 'target');
    const { engine: _engine, worker: _worker, interventions: _changes, ...model } = this.info;
    const args = { source, target, vectors: vectors === true, sentence, ...this.#choice(choice) };
    const changed = args.interventions && { interventions: JSON.parse(args.interventions) };
    return makeTrace({ ...(await this.#call('trace', args, signal)), ...changed }, model);
  }

  /**
   * How probable the model finds `target` as the translation of `source`.
   * @param {string} source
   * @param {string} target
   * @param {CallOptions & import('../text/carry-options.js').CarryOptions & {interventions?: Intervention[]}} [options]
   * @returns {Promise<Score>}
   */
  async score(source, target, options) {
    const { signal, ...choice } = readFields(options, 'score', kScore);
    const args = { source: inputText(source, 'source'), target: inputText(target, 'target'), ...this.#choice(choice) };
    const { score, pieces, logProbs } = await this.#call('score', args, signal);
    return { score, pieces, logProbs };
  }

  /**
   * Answers a question of `qkv/explain`.
   * @param {'heads' | 'words' | 'rollout' | 'flow'} question
   * @param {{source: string, target?: string}} pair
   * @param {CallOptions & import('../text/carry-options.js').CarryOptions} options
   * @returns {Promise<import('../engine/models/glue.js').WasmExplanation>}
   * @internal
   */
  async explain(question, { source, target }, { signal, ...choice }) {
    this.#writer(); // throws if the engine answers no questions
    return this.#call('explain', { question, source, target, ...this.#choice(choice) }, signal);
  }

  /**
   * How much of `inputQuota` a text uses.
   * @param {string} text
   * @param {CallOptions} [options]
   * @returns {Promise<number>} UTF-16 units
   */
  async measureInputUsage(text, options) {
    const { signal } = readFields(options, 'measureInputUsage', ['signal']);
    return withSignals([this.#life.signal, signal], async (both) => {
      if (typeof text !== 'string') throw invalid('text', `expected a string, got ${described(text)}`);
      await unlessAborted(nextTask(), both);
      return text.length;
    });
  }

  /**
   * The size of the engine's memory. Other translators may share it.
   * @returns {Promise<number>} bytes
   */
  memoryBytes() {
    return this.#call('memory', {}, undefined);
  }

  /**
   * Frees the translator's memory. Running calls and later calls reject with an AbortError. The engine ends with its last
   * translator.
   */
  destroy() {
    if (this.#life.signal.aborted) return;
    const cause = new QkvError('DESTROYED', 'the translator has been destroyed: create a new one');
    this.#life.abort(domException('AbortError', cause));
    this.#engine.release();
  }

  [Symbol.dispose]() {
    this.destroy();
  }

  async [Symbol.asyncDispose]() {
    this.destroy();
  }

  /**
   * @param {string} text
   * @param {boolean} split
   * @param {Choice} choice
   */
  #translation(text, split, choice) {
    return { text: inputText(text), ...this.#how(split), ...this.#choice(choice) };
  }

  /** @param {boolean} split */
  #how(split) {
    return { locale: this.sourceLanguage, split, longest: this.#longest };
  }

  /** @param {Choice} choice */
  #choice({ prefix, shortlist, maxLength, interventions, ...carried }) {
    const how = { beam: this.info.beam, prefix: this.#prefix(prefix), shortlist, maxLength: longest(maxLength) };
    return { ...how, interventions: interventions && this.#writer()(interventions), ...readCarry(carried, this) };
  }

  /** The function that writes interventions for the engine. Throws if the engine takes none. */
  #writer() {
    const { kind } = this.#engine;
    if (kind?.changesText) return kind.changesText;
    throw new QkvError('UNSUPPORTED', 'create the translator with interventions: true', 'interventions');
  }

  /** @param {Prefix | undefined} prefix */
  #prefix(prefix) {
    if (typeof prefix !== 'object' || prefix === null) {
      return prefix === undefined ? undefined : inputText(prefix, 'prefix');
    }
    const { length } = prefix;
    if (!(length <= kLongestPrefix)) throw invalid('prefix', 'it has too many pieces');
    const ids = Array.from({ length }, (_, i) => prefix[i]);
    const isId = (/** @type {unknown} */ id) => Number.isInteger(id) && Math.abs(/** @type {number} */ (id)) < 2 ** 31;
    if (!ids.every(isId)) throw invalid('prefix', 'a prefix is a string or a list of ids');
    return ids;
  }

  // The longest sentence in UTF-16 units. It has at most as many pieces as the model has positions, unless normalising
  // makes it longer.
  get #longest() {
    return Math.max(this.info.maxLength - 2, 2);
  }

  /**
   * @param {string} text
   * @param {number | undefined} index
   */
  #sentence(text, index) {
    if (index === undefined) return text;
    const sentences = splitSentences(inputText(text), this.sourceLanguage, this.#longest).filter(
      (part) => part.sentence,
    );
    if (sentences[index]) return sentences[index].text;
    throw invalid('sentence', `the text has ${sentences.length} sentences, none numbered ${index}`);
  }

  /**
   * @param {string} method
   * @param {object} args
   * @param {AbortSignal | null | undefined} signal
   */
  async #call(method, args, signal) {
    try {
      return await withSignals([this.#life.signal, signal], (both) =>
        unlessAborted(this.#engine.call(method, args, both), both),
      );
    } catch (error) {
      throw toPublicError(error);
    }
  }
}

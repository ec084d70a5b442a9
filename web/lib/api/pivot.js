// Two models as one translator: the first translates into a language between, usually English, and the second from
// there. Each call uses both models. Their engines are those of single translators, and usually both are in one engine.
// This module is fetched only when it is needed. Functions that the page has already loaded are arguments and not imports.
import { domException, QkvError } from '../base/errors.js';
import { invalid } from '../base/arguments.js';
import { listedModel, noRoute, registry } from '../registry/registry.js';
import { Identity } from './identity.js';
import { joinAlignments, joinTraces } from './pivot-trace.js';

/** @typedef {import('./start.js').RunningEngine} RunningEngine */
/** @typedef {import('./translate-options.js').CreateOptions} CreateOptions */
/** @typedef {import('../engine/info.js').TranslatorInfo} TranslatorInfo */
/** @typedef {import('../engine/engine.js').AlignedPart} AlignedPart */
/** @typedef {import('../text/carry-options.js').Carry} Carry */
/** @typedef {import('./settings.js').ModelSettings} ModelSettings */
/** @typedef {{engine: RunningEngine, info: TranslatorInfo}} Running */
/** @typedef {typeof import('./start.js').startTools} Tools */

/**
 * The settings of the one or two models that the options name, and the language between them.
 * @param {CreateOptions} given
 * @param {ModelSettings[]} models of a list
 * @returns {Promise<{models: ModelSettings[], through: string}>} `through`: the language between; rejects with
 *   NotSupportedError, or with a QkvError
 */
export async function routeOf(given, models) {
  const { sourceLanguage, targetLanguage, registry: list, signal, pivotLanguage: through = 'en' } = given;
  if (list === undefined) {
    if (models.length !== 2) throw invalid('model', `a list of models must have two, not ${models.length}`);
    return { models, through };
  }
  if (given.model !== undefined) throw invalid('registry', 'give a model or a registry, not both');
  const route = (await registry(list, { signal: signal ?? undefined })).route({ sourceLanguage, targetLanguage });
  if (route.length === 0) throw noRoute({ sourceLanguage, targetLanguage });
  return { models: route.map((model) => listedModel(model, given.store)), through: route[0].targetLanguage };
}

/**
 * Starts the engine of a translator that has two models, or none, or whose models are in a registry.
 * @param {CreateOptions} given
 * @param {ModelSettings[]} list the settings of the given models; empty with a registry
 * @param {(loaded: number) => void} report
 * @param {Tools} tools
 * @returns {Promise<Running>}
 */
export async function startSeveral(given, list, report, { startEngine, needsNoModel, splitSentences }) {
  if (needsNoModel(given)) return { engine: new Identity(splitSentences), info: Identity.info };
  const { models, through } = await routeOf(given, list);
  if (models.length === 1) return startEngine(given, models[0], report);
  // Start both. If one fails, release the other.
  const shares = [0, 0];
  const started = await Promise.allSettled(
    models.map((model, i) =>
      startEngine(given, model, (share) => {
        shares[i] = share;
        report((shares[0] + shares[1]) / 2);
      }),
    ),
  );
  const running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = started.find((result) => result.status === 'rejected');
  if (failed) {
    for (const { engine } of running) engine.release();
    throw failed.reason;
  }
  // They are in the same engine if both are in that of qkv/models, or both in the other.
  const [first, second] = running.map(({ info }) => 'kind' in info);
  const isOne = first === second;
  const pivot = new Pivot(running[0], running[1], { beam: given.beam, through, isOne });
  return { engine: pivot, info: pivot.info };
}

/**
 * @param {CreateOptions} given
 * @param {ModelSettings[]} list
 * @param {Tools} tools
 * @returns {Promise<'downloadable' | 'downloading' | 'available'>} with two models: the state of the less complete one
 */
export async function stateOfSeveral(given, list, { stateOf, needsNoModel }) {
  if (needsNoModel(given)) return 'available';
  const states = await Promise.all((await routeOf(given, list)).models.map(stateOf));
  return (
    states.find((state) => state === 'downloadable') ?? states.find((state) => state === 'downloading') ?? 'available'
  );
}

/** Has the interface of an engine for a translator. @implements {RunningEngine} */
class Pivot {
  info;
  #first;
  #second;
  #how;

  /**
   * @param {Running} first
   * @param {Running} second
   * @param {{beam?: number, through: string, isOne: boolean}} how `isOne`: both models are in one engine
   */
  constructor(first, second, how) {
    this.#first = first;
    this.#second = second;
    this.#how = how;
    this.info = joinInfos(first.info, second.info);
  }

  /**
   * The same as ModelReference.call, with both models.
   * @param {string} method
   * @param {any} args
   * @param {AbortSignal} signal
   * @returns {Promise<any>}
   */
  async call(method, args, signal) {
    // The second model gets the translation of the first, and the options of the call.
    const second = (/** @type {object} */ more) =>
      this.#second.engine.call(method, { ...args, carry: this.#carried(args.carry)[1], ...more }, signal);
    switch (method) {
      case 'translate':
        return this.#translate(args, signal);
      case 'search':
        return second({ text: await this.#between(args.text, args, signal) });
      case 'score':
        return second({ source: await this.#between(args.source, args, signal) });
      case 'trace': {
        const first = await this.#first.engine.call('trace', { ...this.#firstArgs(args), target: null }, signal);
        const then = await second({ source: first.target.text });
        return joinTraces({ raw: first, info: this.#first.info }, { raw: then, info: this.#second.info });
      }
      // If both models are in one engine, its memory counts once.
      case 'memory': {
        const sizes = await Promise.all(
          [this.#first, this.#second].map(({ engine }) => engine.call(method, args, signal)),
        );
        return this.#how.isOne ? Math.max(...sizes) : sizes[0] + sizes[1];
      }
      default:
        throw domException('NotSupportedError', new QkvError('UNSUPPORTED', `two models have no ${method}`));
    }
  }

  release() {
    this.#first.engine.release();
    this.#second.engine.release();
  }

  /**
   * Translates each sentence with both models. The second model reads the translation of a sentence as one sentence, unless
   * it is too long.
   * @param {any} args
   * @param {AbortSignal} signal
   * @returns {Promise<AlignedPart[]>}
   */
  async #translate(args, signal) {
    /** @type {AlignedPart[]} */
    const firsts = await this.#first.engine.call('translate', this.#firstArgs(args), signal);
    // All short translations go to the second model in one call.
    const longest = Math.max(this.#second.info.maxLength - 2, 2);
    const how = { ...args, locale: this.#how.through, longest, language: '', carry: this.#carried(args.carry)[1] };
    const isLong = (/** @type {AlignedPart} */ { translation }) => translation.length > longest;
    const short = firsts.filter((part) => !isLong(part));
    const parts = short.map(({ translation, sentence, alignment }) => ({
      text: translation,
      sentence,
      kept: alignment && carriedIn(alignment.copied),
    }));
    const second = (/** @type {object} */ more) => this.#second.engine.call('translate', { ...how, ...more }, signal);
    const done = parts.length > 0 ? (await second({ text: '', parts })).values() : [];
    // A long one is split into sentences again.
    const joined = [];
    for (const first of firsts) {
      const isCut = isLong(first) && first.sentence;
      const seconds = isCut ? await second({ text: first.translation, split: true }) : [done.next().value];
      joined.push(joinParts(first, seconds));
    }
    return joined;
  }

  /**
   * The first model's translation of a sentence.
   * @param {string} text
   * @param {any} args
   * @param {AbortSignal} signal
   */
  async #between(text, args, signal) {
    const how = { text, locale: '', split: false, longest: Infinity };
    const [part] = await this.#first.engine.call('translate', { ...this.#firstArgs(args), ...how }, signal);
    return part.translation;
  }

  /**
   * The arguments for the first model. A prefix, a length and a beam are only for the second model, which writes the
   * translation.
   * @param {any} args
   */
  #firstArgs(args) {
    const beam = this.#how.beam || this.#first.info.beam;
    return { ...args, prefix: undefined, maxLength: undefined, beam, carry: this.#carried(args.carry)[0] };
  }

  /**
   * What each model carries through. The first model inserts the translation of each term, and the second keeps it.
   * @param {Carry | undefined} carry
   * @returns {[Carry | undefined, Carry | undefined]}
   */
  #carried(carry) {
    if (!carry) return [undefined, undefined];
    const { through } = this.#how;
    const [from, to] = carry.numbers ?? [];
    const kept = new Map([...carry.terms.values()].filter((term) => term.trim()).map((term) => [term, term]));
    return [
      { ...carry, numbers: from ? [from, through] : null },
      { ...carry, terms: kept, numbers: to ? [through, to] : null },
    ];
  }
}

/**
 * The places of carried parts in a translation. The second model must carry them too.
 * @param {Int32Array} copied
 * @returns {[from: number, to: number][]}
 */
const carriedIn = (copied) =>
  Array.from({ length: copied.length / 4 }, (_, i) => [copied[4 * i + 2], copied[4 * i + 3]]);

/**
 * @param {AlignedPart} first
 * @param {AlignedPart[]} seconds the second model's parts for the first one's translation
 * @returns {AlignedPart}
 */
function joinParts(first, seconds) {
  const all = [first, ...seconds];
  const { text, sentence } = first;
  const alignments = all.map(({ alignment }) => alignment);
  // If the sentence was split between the models, the places of its parts are not known.
  const alignment = all.length === 2 && alignments[0] && alignments[1] && joinAlignments(alignments[0], alignments[1]);
  return {
    text,
    sentence,
    ...(alignment && { alignment }),
    translation: seconds.map((part) => part.translation).join(''),
    cut: all.find((part) => part.cut)?.cut ?? false,
    truncated: all.some((part) => part.truncated),
    confidence: first.confidence * Math.min(1, ...seconds.map((part) => part.confidence)),
    warnings: [...new Set(all.flatMap((part) => part.warnings))],
  };
}

/**
 * @param {TranslatorInfo} first
 * @param {TranslatorInfo} second
 * @returns {TranslatorInfo}
 */
function joinInfos(first, second) {
  const { encoderLayers, encoderHeads, maxLength } = first;
  return {
    ...second,
    name: `${first.name} + ${second.name}`,
    parameters: first.parameters + second.parameters,
    bytes: first.bytes + second.bytes,
    encoderLayers,
    encoderHeads,
    maxLength,
    shortlist: first.shortlist && second.shortlist,
    copy: first.copy === 'attention' || second.copy === 'none' ? second.copy : first.copy,
    alignmentHeads: [],
    legs: [first, second],
  };
}

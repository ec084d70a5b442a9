// The engine of one thread: it owns the WebAssembly instance, loads models, and runs jobs in turns. A page calls it
// through a worker or in its own thread, with the same methods and the same plain values.
import { withCarried } from '../text/carry-options.js';
import { nextTask } from '../base/runtime.js';
import { Scheduler } from './scheduler.js';
import { languageToken, splitSentences } from '../text/sentences.js';

/** @typedef {import('./guard.js').GuardedModule} GuardedModule */
/** @typedef {import('../text/sentences.js').Part} Part */
/** @typedef {string | number[]} Prefix a text, or ids of pieces */
/**
 * The options of a search, changes to the model's forward pass as JSON, the parts to carry through, and whether the
 * alignment is wanted.
 * @typedef {{beam: number, prefix?: Prefix, shortlist?: boolean, interventions?: string, copy?: boolean, carry?: import('../text/carry-options.js').Carry, align?: boolean}} Choice
 */
/**
 * Whether a translation was cut, and why: it reached its maximum length, or it repeated itself.
 * @typedef {false | 'length' | 'repetition'} Cut
 */
/**
 * Warnings: a part that the model cannot translate was carried through; the end of the sentence was not read; the
 * translation repeated itself and was cut; the text does not look like the source language.
 * @typedef {'copied' | 'truncated' | 'repetition' | 'source-language'} Warning
 */

/**
 * @typedef {{text: string, sentence: boolean, translation: string, cut: Cut, truncated: boolean, confidence: number, warnings: Warning[]}} TranslatedPart
 *   white space is its own translation. `truncated`: the sentence had more pieces than the model has positions, so its end
 *   was not read. `confidence`: from 0 to 1, how far to trust the translation (docs/carried.md)
 */

/**
 * `alignment`: how much each target piece looks at each source piece; undefined for white space, and if the model reads
 * nothing.
 * @typedef {TranslatedPart & {alignment?: import('./glue.js').WasmAligned}} AlignedPart
 */

/**
 * `compiled`: the module, if it is shared. `locks`: the names of the locks that its threads hold as long as they live.
 * @typedef {{build: string, threads: number, compiled?: WebAssembly.Module, locks?: string[]}} Started
 */
/** @typedef {import('../worker/protocol.js').Call} Call */

/** The results for white space. @type {Pick<TranslatedPart, 'cut' | 'truncated' | 'confidence' | 'warnings'>} */
const kSpace = { cut: false, truncated: false, confidence: 1, warnings: [] };

export class Engine {
  /** @type {ReturnType<typeof import('./guarded.js').instantiateGuarded> | undefined} */
  #instance;
  #scheduler = new Scheduler();
  #instantiate;
  #load;

  /**
   * @param {(settings: import('./instantiate.js').WasmSettings) => ReturnType<typeof import('./guarded.js').instantiateGuarded>} instantiate
   *   starts the build
   * @param {typeof import('./load.js').loadModel} load loads a model into it
   */
  constructor(instantiate, load) {
    this.#instantiate = instantiate;
    this.#load = load;
  }

  /**
   * Compiles and starts the WebAssembly, once.
   * @param {{wasm: import('./instantiate.js').WasmSettings}} args
   * @returns {Promise<Started>}
   */
  async start({ wasm }) {
    this.#instance ??= this.#instantiate(wasm);
    const { build, threads, compiled, locks } = await this.#instance;
    return { build, threads, locks, compiled: wasm.isShared ? compiled : undefined };
  }

  /**
   * `files`, if the source is shared: the downloaded files, for other engines.
   * @param {{source: import('../loading/model-source.js').ModelSource}} args
   * @param {Call} call
   */
  async load({ source }, { signal, progress }) {
    /** @type {import('../loading/model-files.js').Downloaded | undefined} */
    const files = source.isShared ? {} : undefined;
    const model = await this.#load(this.#wasm(), source, signal, progress, files);
    const wasm = await this.#wasm();
    return { model, info: wasm.modelInfo(model), files };
  }

  /**
   * Frees a model. Waits a task before, so that its aborted jobs have ended.
   * @param {{model: number}} args
   */
  async unload({ model }) {
    await nextTask();
    (await this.#wasm()).modelFree(model);
  }

  /**
   * Translates a text: its sentences as one job. White space is kept. `language`: the token of the target language, which
   * is put before each sentence if the model knows it; default: the text's own. `parts`: the text, if it is already split.
   * @param {{model: number, text: string, locale: string, split: boolean, longest: number, language?: string, parts?: import('../text/sentences.js').Part[]} & Choice} args
   * @param {Call} call
   * @returns {Promise<AlignedPart[]>}
   */
  async translate(
    { model, text, locale, split, longest, language = languageToken(text), parts, carry, ...choice },
    { signal },
  ) {
    // Split the text into sentences and white space.
    parts ??= split ? splitSentences(text, locale, longest) : [{ text, sentence: true }];
    const sentences = parts.filter((part) => part.sentence);
    const wasm = await this.#wasm();
    // Translate the sentences, each with the token of the target language and its carried parts.
    const isKnown = language && wasm.tokenize(model, language, 'source').pieces[0] === language;
    const marked = (/** @type {Part} */ part) =>
      isKnown && !part.text.startsWith(language) ? `${language} ${part.text}` : part.text;
    const texts = sentences.map((part) => withCarried(marked(part), carry, part.kept));
    const job = wasm.translateStart(model, texts, choice);
    const results = (await this.#finish(wasm, job, signal, wasm.translateResult)).values();
    // Put the translations and the white space together.
    return parts.map(({ text, sentence }) => {
      const result = sentence ? results.next().value : undefined;
      const { text: translation, cut, truncated, confidence, warnings } = result ?? { ...kSpace, text };
      const more = result?.alignment && { alignment: result.alignment };
      return { text, sentence, translation, cut, truncated, confidence, warnings, ...more };
    });
  }

  /**
   * @param {{model: number, text: string, nBest: number, tree: boolean} & Choice} args
   * @param {Call} call
   */
  async search({ model, text, carry, ...options }, { signal }) {
    const wasm = await this.#wasm();
    const job = wasm.translateStart(model, [withCarried(text, carry)], options);
    return (await this.#finish(wasm, job, signal, wasm.translateResult))[0];
  }

  /**
   * @param {{model: number, source: string, target: string | null, vectors?: boolean, sentence?: number} & Choice} args
   * @param {Call} call
   */
  async trace({ model, source, target, carry, ...choice }, { signal }) {
    const wasm = await this.#wasm();
    const job = wasm.traceStart(model, withCarried(source, carry), target, choice);
    return this.#finish(wasm, job, signal, wasm.traceResult);
  }

  /**
   * @param {{model: number, source: string, target: string} & Choice} args
   * @param {Call} call
   */
  async score({ model, source, target, carry, ...choice }, { signal }) {
    const wasm = await this.#wasm();
    const job = wasm.scoreStart(model, withCarried(source, carry), target, choice);
    return this.#finish(wasm, job, signal, wasm.scoreResult);
  }

  async memory() {
    return (await this.#wasm()).memoryBytes();
  }

  /**
   * Runs `step` in turns with the jobs, until it returns true.
   * @param {() => boolean} step
   * @param {AbortSignal} signal
   */
  async takeTurns(step, signal) {
    await this.#scheduler.run(step, signal);
  }

  async #wasm() {
    if (!this.#instance) throw new Error('the engine has not been started');
    return (await this.#instance).wasm;
  }

  /**
   * Runs a job to its end and frees it, however it ends.
   * @template Result
   * @param {GuardedModule} wasm
   * @param {number} job
   * @param {AbortSignal} signal
   * @param {(job: number) => Result} result
   */
  async #finish(wasm, job, signal, result) {
    try {
      await this.#scheduler.run(() => wasm.jobStep(job), signal);
      return result(job);
    } finally {
      wasm.jobFree(job);
    }
  }
}

/**
 * The methods of an engine that can be called from outside.
 * @param {Engine} engine
 * @returns {Record<string, import('../worker/protocol.js').Handler>}
 */
export function handlersOf(engine) {
  return {
    start: (args) => engine.start(args),
    load: (args, call) => engine.load(args, call),
    unload: (args) => engine.unload(args),
    translate: (args, call) => engine.translate(args, call),
    search: (args, call) => engine.search(args, call),
    trace: (args, call) => engine.trace(args, call),
    score: (args, call) => engine.score(args, call),
    memory: () => engine.memory(),
  };
}

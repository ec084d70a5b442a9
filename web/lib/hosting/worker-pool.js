// Several engines for long texts. Each has a worker and a copy of the model. An engine gets the next sentences when it has
// translated its last ones. The first engine does all other work. The others start at the first long text.
import { languageToken, splitSentences } from '../text/sentences.js';

/** @typedef {import('./model-reference.js').ModelReference} ModelReference */
/** @typedef {import('../engine/engine.js').TranslatedPart} TranslatedPart */

/** Sentences in a message: enough for full batches, and so few that all engines finish at about the same time. */
const kSentencesAtOnce = 32;

export class WorkerPool {
  #first;
  #more;
  /** @type {Promise<ModelReference[]> | null} */
  #others = null;
  #isReleased = false;

  /**
   * @param {ModelReference} first
   * @param {(() => ModelReference)[]} more creates the others
   */
  constructor(first, more) {
    this.#first = first;
    this.#more = more;
  }

  get worker() {
    return this.#first.worker;
  }

  /**
   * The same as ModelReference.call. A long text is shared among the engines.
   * @param {string} method
   * @param {any} args
   * @param {AbortSignal} signal
   */
  async call(method, args, signal) {
    if (method === 'memory') return this.#memory(args, signal);
    if (method !== 'translate' || !args.split) return this.#first.call(method, args, signal);
    const parts = args.parts ?? splitSentences(args.text, args.locale, args.longest);
    const runs = runsOf(parts);
    if (runs.length === 1) return this.#first.call(method, { ...args, parts }, signal);
    return this.#translateRuns(runs, { ...args, text: '', language: languageToken(args.text) }, signal);
  }

  release() {
    this.#isReleased = true;
    this.#first.release();
    this.#dismiss();
  }

  /** Releases the other engines. The next long text starts new ones. */
  #dismiss() {
    this.#others?.then((others) => others.forEach((other) => other.release()));
    this.#others = null;
  }

  /**
   * Translates runs of sentences: each engine takes the next run when it is free.
   * @param {import('../text/sentences.js').Part[][]} runs
   * @param {object} args
   * @param {AbortSignal} signal
   * @returns {Promise<TranslatedPart[]>}
   */
  #translateRuns(runs, args, signal) {
    /** @type {TranslatedPart[][]} */
    const done = [];
    const next = runs.entries();
    let left = runs.length;
    return new Promise((resolve, reject) => {
      const work = async (/** @type {ModelReference} */ reference) => {
        for (const [index, parts] of next) {
          done[index] = await reference.call('translate', { ...args, parts }, signal);
          if (--left === 0) resolve(done.flat());
        }
      };
      const failed = (/** @type {unknown} */ error) => {
        if (!signal.aborted) this.#dismiss(); // an engine that has stopped would also fail at the next text
        reject(error);
      };
      work(this.#first).catch(reject);
      this.#startedOthers().then((others) => others.forEach((other) => work(other).catch(failed)));
    });
  }

  /** The other engines, without those that could not start. With fewer engines the work only takes longer. */
  #startedOthers() {
    this.#others ??= Promise.all(
      this.#more.map(async (create) => {
        const reference = create();
        try {
          await reference.ready();
          if (!this.#isReleased) return [reference];
        } catch {
          // The first engine reports problems with the model or the memory.
        }
        reference.release();
        return [];
      }),
    ).then((references) => references.flat());
    return this.#others;
  }

  /** @param {object} args @param {AbortSignal} signal */
  async #memory(args, signal) {
    const references = [this.#first, ...((await this.#others) ?? [])];
    const sizes = await Promise.all(references.map((reference) => reference.call('memory', args, signal)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }
}

/**
 * Divides a text's parts into groups of kSentencesAtOnce sentences.
 * @param {import('../text/sentences.js').Part[]} parts
 */
function runsOf(parts) {
  /** @type {import('../text/sentences.js').Part[][]} */
  const runs = [[]];
  let sentences = 0;
  for (const part of parts) {
    if (part.sentence && sentences++ === kSentencesAtOnce) {
      runs.push([]);
      sentences = 1;
    }
    /** @type {import('../text/sentences.js').Part[]} */ (runs.at(-1)).push(part);
  }
  return runs;
}

// Several engines for long texts. Each has a worker and a copy of the model, and takes the next sentences when it has
// finished the ones before. The first engine does all other work; the others start with the first long text.
import { languageToken, splitSentences } from '../text/sentences.js';

/** @typedef {import('./model-reference.js').ModelReference} ModelReference */
/** @typedef {import('../engine/engine.js').TranslatedPart} TranslatedPart */

/** Sentences of a message: enough for full batches, and few enough that all engines finish at about the same time. */
const kSentencesAtOnce = 32;

export class WorkerPool {
  #first;
  #more;
  /** @type {Promise<ModelReference[]> | null} */
  #others = null;
  #isReleased = false;

  /**
   * @param {ModelReference} first
   * @param {(() => ModelReference)[]} more makes the others
   */
  constructor(first, more) {
    this.#first = first;
    this.#more = more;
  }

  get worker() {
    return this.#first.worker;
  }

  /**
   * As in ModelReference.
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
    return this.#shareOut(runs, { ...args, text: '', language: languageToken(args.text) }, signal);
  }

  release() {
    this.#isReleased = true;
    this.#first.release();
    this.#dismiss();
  }

  /** The next long text gets other engines. */
  #dismiss() {
    this.#others?.then((others) => others.forEach((other) => other.release()));
    this.#others = null;
  }

  /**
   * @param {import('../text/sentences.js').Part[][]} runs
   * @param {object} args
   * @param {AbortSignal} signal
   * @returns {Promise<TranslatedPart[]>}
   */
  #shareOut(runs, args, signal) {
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
        if (!signal.aborted) this.#dismiss(); // a stopped engine would fail the next text too
        reject(error);
      };
      work(this.#first).catch(reject);
      this.#gathered().then((others) => others.forEach((other) => work(other).catch(failed)));
    });
  }

  /** The others that start. With fewer of them the work takes longer. */
  #gathered() {
    this.#others ??= Promise.all(
      this.#more.map(async (give) => {
        const reference = give();
        try {
          await reference.ready();
          if (!this.#isReleased) return [reference];
        } catch {
          // The first reports problems with the model or the memory.
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

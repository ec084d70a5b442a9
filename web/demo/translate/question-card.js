// The base class of the cards that ask the model a question about the translation in view. The reader asks, so no translation
// waits for an answer.

import { LatestRun, failureText } from '../shared/latest.js';

/** @typedef {import('../../lib/index.js').Trace} Trace */
/** @typedef {import('../../lib/index.js').Translator} Translator */

export class QuestionCard extends EventTarget {
  #model;
  /** The translation in view. @type {Trace | null} */
  trace = null;
  #run = new LatestRun(
    (signal) => this.ask(signal),
    (error) => this.say(failureText(error)),
  );

  /** @param {import('./intervention-model.js').InterventionModel} model */
  constructor(model) {
    super();
    this.#model = model;
  }

  /** @param {Trace | null} trace of the sentence in view */
  show(trace) {
    if (trace === this.trace) return;
    this.trace = trace;
    this.forget();
    this.request();
  }

  /** Asks, and aborts an earlier question. */
  request() {
    this.#run.request();
  }

  /** The model, loaded. @param {AbortSignal} signal @returns {Promise<Translator>} */
  async translator(signal) {
    const translator = await this.#model.get();
    signal.throwIfAborted();
    return translator;
  }

  /**
   * Asks about the trace and shows the answer. Each card overrides it.
   * @param {AbortSignal} _signal
   * @returns {Promise<void>}
   */
  async ask(_signal) {}

  /** Shows a message. Each card overrides it. @param {string} _text */
  say(_text) {}

  /** Removes the answers about another translation. Each card overrides it. */
  forget() {}
}

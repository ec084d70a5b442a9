// Runs a translator on one text as one sentence: shows its translation and the attention of each head.

import { noteOf } from '../shared/doubt.js';
import { LatestRun } from '../shared/latest.js';
import { kAnyTranslation } from '../shared/words.js';
import { Field } from './field.js';

/** @typedef {import('../shared/explorer.js').Explorer} Explorer */
/** @typedef {import('../shared/marks.js').Marks} Marks */
/** @typedef {import('../../lib/models/index.js').Translator} Translator */
/** @typedef {ReturnType<typeof import('../shared/status.js').statusLine>} Status */

const kTypingPause = 150;

/** Dispatches `change` when the text in view was read. */
export class TranslatorWorkbench extends EventTarget {
  #explorer;
  #status;
  #field;
  #target;
  /** @type {Translator | null} */
  #model = null;
  #run;

  /** @param {HTMLElement} root parts/translator-workbench.html @param {Explorer} explorer @param {Marks} marks the page's @param {Status} status */
  constructor(root, explorer, marks, status) {
    super();
    this.#explorer = explorer;
    this.#status = status;
    this.#field = new Field(root, marks, 'source');
    this.#target = /** @type {HTMLOutputElement} */ (root.querySelector('output'));
    this.#run = new LatestRun(
      (signal) => this.#read(signal),
      (error) => {
        this.#busy(false);
        status.failed(error, () => this.#run.request());
      },
    );
    this.#field.addEventListener('input', () => this.#changed(kTypingPause));
  }

  get text() {
    return this.#field.text;
  }
  set text(text) {
    this.#field.text = text;
    this.#changed(0);
  }

  /** @param {Translator} model translates from here on; the one before may be gone */
  use(model) {
    this.#model = model;
    this.#explorer.words = kAnyTranslation;
    this.#changed(0);
  }

  /** Stops translating. */
  end() {
    this.#run.cancel();
    this.#model = null;
  }

  /** @param {boolean} working */
  #busy(working) {
    this.#field.busy(working);
    this.#target.setAttribute('aria-busy', String(working));
  }

  /** @param {number} pause */
  #changed(pause) {
    this.#busy(true);
    this.#run.request(pause);
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const [model, text] = [this.#model, this.text];
    if (!model) return;
    if (text.trim() === '') {
      this.#explorer.show(null, false);
      this.#target.textContent = '';
    } else await this.#translate(model, text, signal);
    this.#busy(false);
    this.dispatchEvent(new Event('change'));
  }

  /** @param {Translator} model @param {string} text @param {AbortSignal} signal */
  async #translate(model, text, signal) {
    const begin = performance.now();
    const trace = await model.trace(text, { signal });
    signal.throwIfAborted();
    this.#target.textContent = trace.target.text;
    this.#explorer.show(trace, false);
    this.#field.mark(trace.source);
    this.#status.ready(model.info, {
      pieces: trace.target.pieces.length,
      milliseconds: performance.now() - begin,
      note: noteOf(trace, 'the model’s language'),
    });
  }
}

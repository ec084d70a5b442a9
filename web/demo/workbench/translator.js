// Runs a translator on one text, as one sentence. It shows the translation and the attention of each head.

import { noteOf } from '../shared/warnings.js';
import { kAnyTranslation } from '../shared/words.js';
import { Workbench } from './workbench.js';

/** @typedef {import('../shared/explorer.js').Explorer} Explorer */
/** @typedef {import('../shared/marks.js').Marks} Marks */
/** @typedef {import('../../lib/models/index.js').Translator} Translator */
/** @typedef {ReturnType<typeof import('../shared/status.js').statusLine>} Status */

/** @extends {Workbench<Translator>} */
export class TranslatorWorkbench extends Workbench {
  #target;

  /** @param {HTMLElement} root parts/translator-workbench.html @param {Explorer} explorer @param {Marks} marks the page's @param {Status} status */
  constructor(root, explorer, marks, status) {
    super(root, 'source', explorer, marks, status);
    this.#target = /** @type {HTMLOutputElement} */ (this.find('output'));
  }

  /** @param {Translator} model translates from now on. The earlier model may be destroyed */
  use(model) {
    this.model = model;
    this.explorer.words = kAnyTranslation;
    this.changed(0);
  }

  /** @override @param {boolean} working */
  busy(working) {
    super.busy(working);
    this.#target.setAttribute('aria-busy', String(working));
  }

  /** @override @param {AbortSignal} signal */
  async read(signal) {
    const [model, text] = [this.model, this.text];
    if (!model) return;
    if (text.trim() === '') {
      this.explorer.show(null, false);
      this.#target.textContent = '';
    } else await this.#translate(model, text, signal);
    this.busy(false);
    this.dispatchEvent(new Event('change'));
  }

  /** @param {Translator} model @param {string} text @param {AbortSignal} signal */
  async #translate(model, text, signal) {
    const begin = performance.now();
    const trace = await model.trace(text, { signal });
    signal.throwIfAborted();
    this.#target.textContent = trace.target.text;
    this.explorer.show(trace, false);
    this.field.mark(trace.source);
    this.status.ready(model.info, {
      pieces: trace.target.pieces.length,
      milliseconds: performance.now() - begin,
      note: noteOf(trace, 'the model’s language'),
    });
  }
}

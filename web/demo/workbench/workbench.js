// The base class of the workbenches: a text field, and a model that reads the latest text.

import { LatestRun } from '../shared/latest.js';
import { Field } from './field.js';

/** @typedef {import('../shared/explorer.js').Explorer} Explorer */
/** @typedef {import('../shared/marks.js').Marks} Marks */
/** @typedef {ReturnType<typeof import('../shared/status.js').statusLine>} Status */

export const kTypingPause = 150; // ms

/**
 * Dispatches `change` when the text in view was read; `choose` when the reader chose a text.
 * @template Model
 */
export class Workbench extends EventTarget {
  /** @type {Model | null} */
  model = null;

  /**
   * @param {HTMLElement} root with a text field and `.examples`
   * @param {'source' | 'target'} side the side of the trace that the text field shows
   * @param {Explorer} explorer
   * @param {Marks} marks the page's
   * @param {Status} status
   */
  constructor(root, side, explorer, marks, status) {
    super();
    this.find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.explorer = explorer;
    this.status = status;
    this.field = new Field(root, marks, side);
    this.run = new LatestRun(
      (signal) => this.read(signal),
      (error) => this.failed(error),
    );
    this.field.addEventListener('input', () => this.typed());
    for (const chip of this.find('.examples').children)
      chip.addEventListener('click', () => this.choose(chip.textContent));
  }

  get text() {
    return this.field.text;
  }
  set text(text) {
    this.field.text = text;
    this.changed(0);
  }

  /** Stops reading. */
  end() {
    this.run.cancel();
    this.model = null;
  }

  /**
   * Reads the text and shows the result. Each workbench overrides it.
   * @param {AbortSignal} _signal
   * @returns {Promise<void>}
   */
  async read(_signal) {}

  /** The reader has typed. */
  typed() {
    this.changed(kTypingPause);
  }

  /** The text has changed. @param {number} pause milliseconds to wait for another change */
  changed(pause) {
    this.busy(true);
    this.run.request(pause);
  }

  /** @param {string} text that the reader chose */
  choose(text) {
    this.text = text;
    this.dispatchEvent(new Event('choose'));
  }

  /** @param {boolean} working whether the results in view are not yet those of the text */
  busy(working) {
    this.field.busy(working);
  }

  /** @param {unknown} error */
  failed(error) {
    this.busy(false);
    this.status.failed(error, () => this.run.request());
  }
}

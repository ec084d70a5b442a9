// The monitor of a download, and its events, as the Writing Assistance APIs specify them
// (https://webmachinelearning.github.io/writing-assistance-apis/#shared-apis).
import { asInterface } from '../webidl/interface.js';

/** @typedef {Event & {lengthComputable: boolean, loaded: number, total: number}} DownloadProgressEvent of `total`, which is 1 */

/**
 * @typedef {object} MonitorFields
 * @property {(type: string, listener: ((event: DownloadProgressEvent) => void) | EventListenerObject | null, options?: boolean | AddEventListenerOptions) => void} addEventListener
 * @property {((event: DownloadProgressEvent) => void) | null} ondownloadprogress
 */

/**
 * What `create()` hands to `monitor`: an EventTarget with 'downloadprogress' events, the first with `loaded` 0, the last
 * with 1, each more than the one before.
 * @typedef {MonitorFields & EventTarget} CreateMonitor
 */

const kInternal = Symbol('internal');

class Monitor extends EventTarget {
  static {
    asInterface(this, 'CreateMonitor');
  }
  /** @type {any} */
  #handler = null;
  /** Calls the handler that is set at that time. */
  #listener = (/** @type {Event} */ event) => {
    if (typeof this.#handler === 'function') this.#handler.call(this, event);
  };

  constructor() {
    super();
    if (arguments[0] !== kInternal) throw new TypeError('Illegal constructor');
  }

  get ondownloadprogress() {
    return this.#handler;
  }

  /** An event handler attribute: its place among the listeners is that of the first object that was set. */
  set ondownloadprogress(value) {
    const handler = Object(value) === value ? value : null;
    if (handler && !this.#handler) super.addEventListener('downloadprogress', this.#listener);
    if (!handler) super.removeEventListener('downloadprogress', this.#listener);
    this.#handler = handler;
  }
}

/** The class that the specification names; `new` throws a TypeError. */
export const CreateMonitor = /** @type {{new (): CreateMonitor, prototype: CreateMonitor}} */ (
  /** @type {unknown} */ (Monitor)
);

/** @returns {CreateMonitor} */
export const newMonitor = () => new /** @type {any} */ (Monitor)(kInternal);

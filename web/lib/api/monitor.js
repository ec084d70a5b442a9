// The monitor of a download, and its events, as the Writing Assistance APIs specify them
// (https://webmachinelearning.github.io/writing-assistance-apis/#shared-apis).
import { asInterface } from '../webidl/interface.js';

/** @typedef {Event & {lengthComputable: boolean, loaded: number, total: number}} DownloadProgressEvent `total` is 1 */

/**
 * @typedef {object} MonitorFields
 * @property {(type: string, listener: ((event: DownloadProgressEvent) => void) | EventListenerObject | null, options?: boolean | AddEventListenerOptions) => void} addEventListener
 * @property {((event: DownloadProgressEvent) => void) | null} ondownloadprogress
 */

/**
 * The argument of `monitor`: an EventTarget with 'downloadprogress' events. `loaded` is 0 in the first event, 1 in the last,
 * and grows from event to event.
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

  /** An event handler attribute. A new handler takes the place of the old one among the listeners. */
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

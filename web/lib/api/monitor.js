/** A report on a download: `loaded` of `total`, where `total` is always 1. */
export class DownloadProgressEvent extends Event {
  /** The minifier renames classes; this is the name that users see. @override */
  static name = 'DownloadProgressEvent';
  lengthComputable = true;
  total = 1;

  /** @param {number} loaded from 0 to 1 */
  constructor(loaded) {
    super('downloadprogress');
    this.loaded = loaded;
  }
}

/**
 * What `create()` hands to `monitor`: an EventTarget with 'downloadprogress' events, the first with `loaded` 0, the last
 * with 1, each more than the one before.
 */
export class CreateMonitor extends EventTarget {
  /** The minifier renames classes; this is the name that users see. @override */
  static name = 'CreateMonitor';
  /** @type {((event: DownloadProgressEvent) => void) | null} */
  ondownloadprogress = null;
  #last = -1;

  constructor() {
    super();
    this.addEventListener('downloadprogress', (event) => this.ondownloadprogress?.(event));
  }

  /**
   * @param {string} type
   * @param {((event: DownloadProgressEvent) => void) | EventListenerObject | null} listener
   * @param {boolean | AddEventListenerOptions} [options]
   * @override
   */
  addEventListener(type, listener, options) {
    super.addEventListener(type, /** @type {EventListener} */ (listener), options);
  }

  /**
   * @param {number} loaded
   * @internal
   */
  report(loaded) {
    const isWorthIt = loaded >= this.#last + 0.001 || (loaded === 1 && this.#last < 1);
    if (!isWorthIt) return;
    this.#last = loaded;
    this.dispatchEvent(new DownloadProgressEvent(loaded));
  }
}

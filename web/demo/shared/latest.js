// Runs work of which only the latest request counts.

/** The message for a reader when work failed. @param {unknown} error */
export const failureText = (error) => `It did not work: ${/** @type {Error} */ (error).message}`;

/**
 * Runs `work` for the latest request. A newer request aborts the earlier one at once, so that no old result is shown.
 */
export class LatestRun {
  #work;
  #failed;
  #controller = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {(signal: AbortSignal) => Promise<void>} work must not show anything once its signal is aborted
   * @param {(error: unknown) => void} failed
   */
  constructor(work, failed) {
    this.#work = work;
    this.#failed = failed;
  }

  /** @param {number} [delay] milliseconds to wait for a newer request */
  request(delay = 0) {
    this.cancel();
    const controller = (this.#controller = new AbortController());
    this.#timer = setTimeout(() => this.#run(controller.signal), delay);
  }

  cancel() {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }

  /** @param {AbortSignal} signal */
  async #run(signal) {
    try {
      await this.#work(signal);
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
  }
}

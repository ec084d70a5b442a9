// The progress events of one create(). Each comes in a separate task. The first has 0, the last has 1, and the number grows
// from event to event.
import { floored, tellProgress } from '../api/progress.js';
import { nextTask } from '../base/runtime.js';

/** The least time between two events; the last one does not wait. */
const kInterval = 50; // ms

export class Progress {
  #monitor;
  #signal;
  #loaded = 0;
  /** `loaded` of the last event. */
  #told = -1;
  #time = 0;
  #isQueued = false;

  /**
   * @param {import('../api/monitor.js').CreateMonitor | undefined} monitor
   * @param {AbortSignal | undefined} signal no event is fired after it has aborted
   */
  constructor(monitor, signal) {
    this.#monitor = monitor;
    this.#signal = signal;
  }

  /** @param {number} loaded from 0 to 1 */
  report = (loaded) => {
    this.#loaded = Math.max(this.#loaded, loaded);
    if (this.#isQueued) return;
    this.#isQueued = true;
    nextTask().then(() => {
      this.#isQueued = false;
      this.#tell(this.#told < 0 ? 0 : this.#loaded);
    });
  };

  /** Waits for the last event, or an abort. */
  async end() {
    for (this.#loaded = 1; this.#told < 1 && !this.#signal?.aborted;) {
      await nextTask();
      this.#tell(this.#told < 0 ? 0 : 1);
    }
  }

  /** @param {number} loaded */
  #tell(loaded) {
    const now = performance.now();
    const told = floored(loaded);
    const isEarly = told > 0 && told < 1 && now - this.#time <= kInterval;
    if (this.#signal?.aborted || told <= this.#told || isEarly) return;
    this.#told = told;
    this.#time = now;
    if (this.#monitor) tellProgress(this.#monitor, told);
  }
}

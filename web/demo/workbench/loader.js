// Loads a model for a page, and shows the progress in the status line. A newer choice aborts an older one.

import { load } from '../../lib/models/index.js';
import { LatestRun } from '../shared/latest.js';

/** @typedef {import('../../lib/models/index.js').Encoder} Encoder */
/** @typedef {import('../../lib/models/index.js').Generator} Generator */
/** @typedef {import('../../lib/models/index.js').Translator} Translator */
/** @typedef {import('../../lib/models/index.js').AnyModelOption} AnyModelOption */
/** @typedef {Encoder | Generator | Translator} Model */

export class Loader {
  /** @type {AnyModelOption | null} */
  #source = null;
  /** @type {Model | null} */
  #model = null;
  #run;

  /**
   * @param {ReturnType<typeof import('../shared/status.js').statusLine>} status
   * @param {(model: any) => void} loaded
   * @param {(error: unknown) => void} [failed] left out: the status line shows the error, and a button to try again
   */
  constructor(status, loaded, failed = (error) => status.failed(error, () => this.#run.request())) {
    this.#run = new LatestRun(async (signal) => {
      if (this.#source === null) return;
      status.loading(0);
      const model = await loadWith(this.#source, signal, (part) => status.loading(part));
      this.#model?.destroy(); // not earlier: with no model left the engine would end, and the next model could not use it
      this.#model = model;
      status.ready(model.info);
      loaded(model);
    }, failed);
  }

  /** @param {AnyModelOption} source */
  load(source) {
    this.#source = source;
    this.#run.request();
  }

  cancel() {
    this.#run.cancel();
  }
}

/**
 * @param {AnyModelOption} source
 * @param {AbortSignal} signal
 * @param {(part: number) => void} progress 0..1
 * @returns {Promise<Model>}
 */
export async function loadWith(source, signal, progress = () => {}) {
  const engine = new URLSearchParams(location.search).get('engine') ?? undefined;
  const model = await load(source, {
    signal,
    wasm: engine,
    monitor: (monitor) =>
      monitor.addEventListener('downloadprogress', (event) => {
        if (!signal.aborted) progress(/** @type {any} */ (event).loaded);
      }),
  });
  if (signal.aborted) model.destroy();
  signal.throwIfAborted();
  return model;
}

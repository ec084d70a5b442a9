import { unlessAborted } from './abort.js';
import { holdHost } from './host.js';

/** A translator's share in an engine and in a model of it. */
export class Lease {
  /** Whether the engine runs in a worker. */
  worker;
  #host;
  #key;
  #model;
  #handle = 0;
  /** @type {(loaded: number) => void} */
  #progress;
  #isReleased = false;

  /**
   * @param {import('./host.js').EngineSettings} settings
   * @param {unknown} key translators whose model has the same key share it
   * @param {import('./model-source.js').ModelSource} source
   * @param {(loaded: number) => void} progress
   */
  constructor(settings, key, source, progress) {
    this.worker = settings.worker;
    this.#host = holdHost(settings);
    this.#key = key;
    this.#progress = (loaded) => progress(loaded);
    this.#model = this.#host.model(key, source);
    this.#model.hold(this.#progress);
  }

  /**
   * @param {AbortSignal} [signal] gives the waiting up, not the loading, which others may be waiting for
   * @returns {Promise<[{build: string, threads: number}, import('./shared-model.js').Loaded]>}
   */
  async ready(signal) {
    const both = Promise.all([this.#host.started, this.#model.loaded]);
    const [started, loaded] = await (signal ? unlessAborted(both, signal) : both);
    this.#handle = loaded.model;
    return [started, loaded];
  }

  /**
   * @param {string} method
   * @param {object} args
   * @param {AbortSignal} signal
   * @param {(progress: any) => void} [progress]
   */
  call(method, args, signal, progress) {
    return this.#host.call(method, { model: this.#handle, ...args }, { signal, progress });
  }

  release() {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#host.releaseModel(this.#key, this.#model, this.#progress);
    this.#host.release();
  }
}

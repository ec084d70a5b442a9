import { unlessAborted } from '../base/abort.js';
import { QkvError } from '../base/errors.js';
import { holdHost } from './host.js';

/** @typedef {import('./host.js').ModelSource} ModelSource */

/**
 * A translator's reference to an engine and a model in it. If the engine has ended, running calls reject, and the next
 * call starts a new engine and loads the model again.
 */
export class ModelReference {
  /** Whether the engine runs in a worker. */
  worker;
  kind;
  #settings;
  #key;
  /** @type {ModelSource | null} null: the model cannot be loaded again */
  #source;
  /** @type {(loaded: number) => void} */
  #progress;
  /** @type {import('./host.js').EngineHost} */
  #host;
  /** @type {import('./shared-model.js').SharedModel} */
  #model;
  /** 0: not loaded. */
  #handle = 0;
  #isHeld = true;
  /** @type {Promise<unknown> | null} */
  #renewal = null;

  /**
   * @param {import('./host.js').EngineSettings} settings
   * @param {unknown} key translators whose model has the same key share it
   * @param {ModelSource} source
   * @param {(loaded: number) => void} progress
   */
  constructor(settings, key, source, progress) {
    this.worker = settings.worker;
    this.kind = settings.kind;
    this.#settings = settings;
    this.#key = key;
    this.#source = hasBytes(source) ? null : source;
    this.#progress = (loaded) => progress(loaded);
    this.#host = holdHost(settings);
    this.#model = this.#held(source);
  }

  /**
   * @param {AbortSignal} [signal] ends the waiting, but not the loading, because other translators may wait for it
   * @returns {Promise<[import('../engine/engine.js').Started, import('./shared-model.js').Loaded]>}
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
   * @param {(progress: any) => unknown} [progress]
   * @returns {Promise<any>}
   */
  async call(method, args, signal, progress) {
    if (this.#handle === 0 || this.#host.ended.aborted) await unlessAborted(this.#renewed(), signal);
    return this.#host.call(method, { model: this.#handle, ...args }, { signal, progress });
  }

  release() {
    this.#source = null;
    this.#drop();
  }

  /** One renewal, shared by all calls that wait for it. */
  #renewed() {
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  async #renew() {
    this.#drop();
    if (!this.#source) throw this.#host.ended.reason ?? new QkvError('DESTROYED', 'it has been destroyed');
    this.#host = holdHost(this.#settings);
    this.#isHeld = true;
    this.#model = this.#held(this.#source);
    try {
      await this.ready();
    } catch (error) {
      this.#drop(); // the next call tries again
      throw error;
    }
  }

  /** @param {ModelSource} source */
  #held(source) {
    const model = this.#host.model(this.#key, source);
    model.hold(this.#progress);
    return model;
  }

  #drop() {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#handle = 0;
    this.#host.releaseModel(this.#key, this.#model, this.#progress);
    this.#host.release();
  }
}

/**
 * Whether a model was given as bytes. The bytes are not kept: the model would be in memory twice.
 * @param {any} source
 */
function hasBytes(source) {
  const sources = 'files' in source ? Object.values(source.files) : [source.zip];
  return sources.some((file) => typeof file === 'object' && !(file instanceof Blob));
}

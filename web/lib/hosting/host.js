// A running engine, shared by all translators with the same settings: one worker, one WebAssembly instance.
import { createEndpoint } from '../worker/endpoint.js';
import { keepBuild, withKeptBuild } from './kept-builds.js';
import { SharedModel } from './shared-model.js';

/** @typedef {import('../engine/instantiate.js').WasmSettings} WasmSettings */
/** @typedef {import('../loading/model-source.js').ModelSource | import('../loading/model-source.js').UnreadySource} ModelSource */
/**
 * `base`: the folder with the package's files, if it is not the package's own folder. `member`: the number of the engine, if
 * several engines share their work.
 * @typedef {{worker: boolean, wasm: WasmSettings, kind: import('../engine/kinds.js').EngineKind, base?: string, member?: number}} EngineSettings
 */
/** @typedef {{signal?: AbortSignal, progress?: (loaded: any) => unknown}} CallOptions */

/** @type {Host[]} the engines that translators may join */
const hosts = [];

/**
 * The engine with these settings. It is started if it does not run yet. Each call needs a later call of `release`.
 * @param {EngineSettings} settings
 */
export function holdHost(settings) {
  let host = hosts.find((running) => isSame(running.settings, settings));
  if (!host) hosts.push((host = new Host(settings)));
  host.holders++;
  return host;
}

/**
 * Whether a model is in memory, in any engine.
 * @param {unknown} key
 * @returns {'downloadable' | 'downloading' | 'available'}
 */
export function modelState(key) {
  const models = hosts.map((host) => host.models.get(key)).filter((model) => model !== undefined);
  if (models.length === 0) return 'downloadable';
  return models.some((model) => model.isLoaded) ? 'available' : 'downloading';
}

/**
 * @param {EngineSettings} a
 * @param {EngineSettings} b
 */
function isSame(a, b) {
  const isSameHost = a.worker === b.worker && a.kind === b.kind && a.base === b.base && a.member === b.member;
  // `from` is the WebAssembly that the caller gave. It is undefined if the package's own builds are used.
  const [one, other] = /** @type {any[]} */ ([a.wasm, b.wasm]);
  return isSameHost && one.from === other.from && one.threads?.count === other.threads?.count;
}

/** @typedef {Host} EngineHost */
class Host {
  holders = 0;
  /** @type {Map<unknown, SharedModel>} by the key of a model, which is its URL */
  models = new Map();
  /** The build that runs, and the number of its threads. @type {Promise<import('../engine/engine.js').Started>} */
  started;
  /** @type {import('../worker/endpoint.js').Endpoint} */
  #endpoint;

  /** @param {EngineSettings} settings */
  constructor(settings) {
    this.settings = settings;
    const { worker, kind, base } = settings;
    this.#endpoint = createEndpoint(worker, { script: () => kind.workerUrl(base), handlers: () => kind.handlers() });
    this.ended.addEventListener('abort', () => this.#retire());
    this.started = this.call('start', { wasm: withKeptBuild(settings.wasm) });
    this.started.then(
      (started) => {
        keepBuild(settings.wasm, started);
        this.#endpoint.endsWith?.(started.locks ?? []);
      },
      () => this.#retire(), // the next create() starts a new engine
    );
  }

  /** Aborts when the engine has ended for any reason. Then its models are gone too. */
  get ended() {
    return this.#endpoint.ended;
  }

  /**
   * @param {string} method
   * @param {any} args
   * @param {CallOptions} [options]
   * @returns {Promise<any>}
   */
  call(method, args, options) {
    return this.#endpoint.call(method, args, options);
  }

  /**
   * @param {unknown} key
   * @param {ModelSource} source
   */
  model(key, source) {
    const known = this.models.get(key);
    if (known) return known;
    const model = new SharedModel(
      async (signal, progress) => {
        const ready = typeof source === 'function' ? await source(signal, progress) : source;
        return this.call('load', { source: ready }, { signal, progress });
      },
      (handle) => void this.call('unload', { model: handle }).catch(() => {}),
    );
    this.models.set(key, model);
    model.loaded.catch(() => this.#forget(key, model)); // so that the next create() tries again
    return model;
  }

  /**
   * @param {unknown} key
   * @param {SharedModel} model
   * @param {(loaded: number) => void} holder
   */
  releaseModel(key, model, holder) {
    if (model.release(holder)) this.#forget(key, model);
  }

  /** Ends the engine when its last holder releases it. */
  release() {
    if (--this.holders > 0) return;
    this.#retire();
    this.#endpoint.close();
  }

  /**
   * @param {unknown} key
   * @param {SharedModel} model
   */
  #forget(key, model) {
    if (this.models.get(key) === model) this.models.delete(key);
  }

  /** New translators do not get this engine any more. Its holders keep it. */
  #retire() {
    const index = hosts.indexOf(this);
    if (index >= 0) hosts.splice(index, 1);
  }
}

// Starts the engine of a translator, and loads the model into it.
import { loadedPart } from '../base/errors.js';
import { translationKind } from '../engine/kinds.js';
import { isOwnBuild } from '../engine/wasm-settings.js';
import { WorkerPool } from '../hosting/worker-pool.js';
import { modelState } from '../hosting/host.js';
import { parts } from './parts.js';
import { ModelReference } from '../hosting/model-reference.js';
import { kRecurrentModel } from '../loading/model-folder.js';
import { needsModels } from '../loading/model-source.js';
import { splitSentences } from '../text/sentences.js';
import { engineSettings, needsNoModel, shared, sharing } from './settings.js';

/** @typedef {import('./translate-options.js').CreateOptions} CreateOptions */
/** @typedef {import('../engine/info.js').TranslatorInfo} TranslatorInfo */
/** @typedef {import('./settings.js').ModelSettings} ModelSettings */
/**
 * The engine of a translator: one engine, several that share a text, or two models one after the other.
 * @typedef {Pick<ModelReference, 'call' | 'release'> & {kind?: import('../engine/kinds.js').EngineKind}} RunningEngine
 */

/** The kind of engine for models that only `qkv/models` runs, and for interventions. It is downloaded only for these. */
const kindForModels = async () => (await loadedPart(() => import('../engine/models/kind.js'))).modelsKind;

/**
 * Starts an engine, or uses a running one, and loads a model into it. Some models in a folder on a server or in a zip run
 * only in the engine of qkv/models. Then the first engine fails: it refuses a recurrent model by name, and it finds no
 * config.json for a model of OPUS-MT in .npz. In both cases the engine of qkv/models is started.
 * @param {CreateOptions} given
 * @param {ModelSettings} model
 * @param {(loaded: number) => void} report from 0 to 1
 * @returns {Promise<{engine: RunningEngine, info: TranslatorInfo}>} rejects with a QkvError, or with the signal's reason
 */
export async function startEngine(given, model, report) {
  const isForModels = given.interventions || needsModels(model.source);
  if (isForModels) return startIn(await kindForModels(), given, model, report);
  try {
    return await startIn(translationKind, given, model, report);
  } catch (/** @type {any} */ error) {
    const isOther =
      error?.where === kRecurrentModel ||
      (error?.where === 'config.json' && (await (await loadedPart(parts.more)).isOpus(model.source, given.signal)));
    if (!isOther || !isOwnBuild(given.wasm)) throw error;
    return startIn(await kindForModels(), given, model, report);
  }
}

/**
 * @param {import('../engine/kinds.js').EngineKind} kind
 * @param {CreateOptions} given
 * @param {ModelSettings} model
 * @param {(loaded: number) => void} report
 * @returns {Promise<{engine: RunningEngine, info: TranslatorInfo}>}
 */
async function startIn(kind, given, { key, name, source }, report) {
  const { signal, workers = 1 } = given;
  const settings = engineSettings(given, kind);
  const more = settings.worker ? workers - 1 : 0;
  const first = more > 0 ? sharing(settings, source) : { settings, source };
  const engine = new ModelReference(first.settings, key, first.source, report);
  try {
    const [started, loaded] = await engine.ready(signal ?? undefined);
    const how = { name, engine: started.build, threads: started.threads, worker: engine.worker };
    const info = /** @type {any} */ ({ ...loaded.info, ...how });
    if (more === 0) return { engine, info };
    const other = shared(settings, source, started, loaded);
    const another = (/** @type {unknown} */ _, /** @type {number} */ i) => () =>
      new ModelReference({ ...other.settings, member: i + 1 }, key, other.source, () => {});
    return { engine: new WorkerPool(engine, Array.from({ length: more }, another)), info };
  } catch (error) {
    engine.release();
    throw error;
  }
}

/**
 * Whether a model is available, in memory or in the store, or must be downloaded.
 * @param {ModelSettings} model
 */
export async function stateOf({ key, source: { store } }) {
  const state = modelState(key);
  if (state !== 'downloadable' || !store) return state;
  return (await (await loadedPart(parts.kept)).isKept(store)) ? 'available' : state;
}

/** The functions that pivot.js needs. */
export const startTools = { startEngine, stateOf, needsNoModel, splitSentences };

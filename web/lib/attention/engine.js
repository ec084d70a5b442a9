// The engine of these functions: a WebAssembly instance in the calling thread, loaded at the first call.
import { QkvError, loadedPart, rethrowPublic } from '../base/errors.js';
import { readFields } from '../base/given.js';
import { baseFolder } from '../base/package-file.js';
import { copied } from '../base/snapshot.js';
import { wasmSettings } from '../engine/wasm-settings.js';
import { attentionWasmUrls } from './assets.js';

/** @typedef {import('../engine/guard.js').GuardedModule} GuardedModule */
/** @typedef {{from: unknown, started: Promise<{wasm: GuardedModule, build: string}>}} Running */

/** @typedef {() => Promise<typeof import('./start-engine.js')>} Code */

/** Loads the code that runs the engine. @type {Code} */
let code = () => import('./start-engine.js');
/** Sets the function that loads the code. @param {Code} load */
export const useCode = (load) => void (code = load);

/** @type {Running | null} */
let running = null;

/**
 * Loads the engine, once. Every call does this itself; call it to load early, or to choose the build.
 * @param {{wasm?: import('../engine/wasm-settings.js').WasmOption, baseUrl?: string | URL}} [options] wasm:
 *   'baseline' or 'relaxed', or your own module; left out: the running build, or else the faster of the package's two
 *   builds that runs here. baseUrl: as in `Translator.create`
 * @returns {Promise<{build: string}>} 'baseline', 'relaxed' or 'custom'; rejects with NetworkError for a download, and with a
 *   QkvError: MISSING_FILE, UNSUPPORTED, ENGINE_FAILED
 */
export async function loadAttention(options) {
  const { wasm, baseUrl } = readFields(options, 'loadAttention', ['wasm', 'baseUrl']);
  const { build } = await (wasm === undefined && running ? running : start(wasm, baseUrl)).started;
  return { build };
}

/**
 * Runs `use` with the engine's functions. An engine that fails is dropped, so the next call starts a new one.
 * @template Result
 * @param {(wasm: GuardedModule) => Result} use
 */
export async function withEngine(use) {
  const engine = running ?? start();
  const { wasm } = await engine.started;
  try {
    return use(wasm);
  } catch (error) {
    if (running === engine && error instanceof QkvError && error.code === 'ENGINE_FAILED') running = null;
    throw error;
  }
}

/**
 * @param {import('../engine/wasm-settings.js').WasmOption | undefined} [option]
 * @param {string | URL} [baseUrl]
 * @returns {Running}
 */
function start(option, baseUrl) {
  const settings = wasmSettings(option, () => ({ pick: attentionWasmUrls(baseFolder(baseUrl)) }));
  const from = 'pick' in settings ? settings.pick.baseline : settings.from;
  if (running?.from === from) return running;
  const engine = { from, started: instantiate(settings) };
  running = engine;
  engine.started.catch(() => {
    if (running === engine) running = null; // the next call tries again
  });
  return engine;
}

/** @param {import('../engine/instantiate.js').WasmSettings} settings */
async function instantiate(settings) {
  const own = copied(settings);
  return loadedPart(code)
    .then(({ startEngine }) => startEngine(own))
    .catch(rethrowPublic);
}

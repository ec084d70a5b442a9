// The engines of these functions: two WebAssembly instances in the calling thread, each loaded at its first use. One
// computes attention, the other one also gradients.
import { QkvError, loadedPart, rethrowPublic } from '../base/errors.js';
import { invalid, readFields } from '../base/arguments.js';
import { baseFolder } from '../base/package-file.js';
import { copied } from '../base/snapshot.js';
import { wasmSettings } from '../engine/wasm-settings.js';
import { attentionWasmUrls, gradientWasmUrl } from './assets.js';
import { readFlag } from './fields.js';

/** @typedef {import('../engine/guard.js').GuardedModule} GuardedModule */
/** @typedef {{from: unknown, started: Promise<{wasm: GuardedModule, build: string}>}} Running */

/** @typedef {() => Promise<typeof import('./start-engine.js')>} Code */

/** Loads the code that runs the engine. @type {Code} */
let code = () => import('./start-engine.js');
/** Sets the function that loads the code. @param {Code} load */
export const useCode = (load) => void (code = load);

/** @typedef {'forward' | 'gradients'} Kind */

/** @type {Record<Kind, Running | null>} */
const running = { forward: null, gradients: null };
/** The `baseUrl` of the last call of `loadAttention`. @type {string | URL | undefined} */
let folder;

/**
 * Loads an engine, once. Every function does this itself. Call it to load early, or to choose the build.
 * @param {{wasm?: import('../engine/wasm-settings.js').WasmOption, baseUrl?: string | URL, gradients?: boolean}} [options]
 *   wasm: 'baseline' or 'relaxed', or your own module; default: the running build, otherwise the faster one of the
 *   package's builds that runs here. baseUrl: as in `Translator.create`, also for later calls. gradients: the engine of
 *   `attentionGradient`, which has only the build 'baseline'. Default false
 * @returns {Promise<{build: string}>} 'baseline', 'relaxed' or 'custom'; rejects with NetworkError for a download, and with a
 *   QkvError: MISSING_FILE, UNSUPPORTED, ENGINE_FAILED
 */
export async function loadAttention(options) {
  const { wasm, baseUrl, gradients } = readFields(options, 'loadAttention', ['wasm', 'baseUrl', 'gradients']);
  const kind = readFlag(gradients, 'gradients') ? 'gradients' : 'forward';
  const current = wasm === undefined ? running[kind] : null;
  const { build } = await (current ?? start(kind, wasm, baseUrl)).started;
  return { build };
}

/**
 * Runs `use` with an engine's functions. An engine that fails is discarded, and the next call starts a new one.
 * @template Result
 * @param {(wasm: GuardedModule) => Result} use
 * @param {Kind} [kind]
 */
export async function withEngine(use, kind = 'forward') {
  const engine = running[kind] ?? start(kind);
  const { wasm } = await engine.started;
  try {
    return use(wasm);
  } catch (error) {
    if (running[kind] === engine && error instanceof QkvError && error.code === 'ENGINE_FAILED') running[kind] = null;
    throw error;
  }
}

/**
 * @param {Kind} kind
 * @param {import('../engine/wasm-settings.js').WasmOption | undefined} [option]
 * @param {string | URL} [baseUrl]
 * @returns {Running}
 */
function start(kind, option, baseUrl = folder) {
  const settings = settingsOf(kind, option, baseFolder(baseUrl));
  folder = baseUrl;
  const from = 'pick' in settings ? settings.pick.baseline : settings.from;
  const current = running[kind];
  if (current?.from === from) return current;
  const engine = { from, started: instantiate(settings) };
  running[kind] = engine;
  engine.started.catch(() => {
    if (running[kind] === engine) running[kind] = null; // the next call tries again
  });
  return engine;
}

/**
 * @param {Kind} kind
 * @param {import('../engine/wasm-settings.js').WasmOption | undefined} option
 * @param {string | undefined} base
 * @returns {import('../engine/instantiate.js').WasmSettings}
 */
function settingsOf(kind, option, base) {
  if (kind === 'forward') return wasmSettings(option, () => ({ pick: attentionWasmUrls(base) }));
  if (option === undefined || option === 'baseline') return { build: 'baseline', from: gradientWasmUrl(base) };
  if (option === 'relaxed') throw invalid('wasm', 'for gradients there is only the build baseline');
  return wasmSettings(option, () => ({ pick: attentionWasmUrls(base) }));
}

/** @param {import('../engine/instantiate.js').WasmSettings} settings */
async function instantiate(settings) {
  const own = copied(settings);
  return loadedPart(code)
    .then(({ startEngine }) => startEngine(own))
    .catch(rethrowPublic);
}

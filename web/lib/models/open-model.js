// Loads a folder's model into an engine.
import { unlessAborted } from '../base/abort.js';
import { toPublicError } from '../base/errors.js';
import { invalid, readFields, wholeNumber } from '../base/arguments.js';
import { holdHost } from '../hosting/host.js';
import { ModelReference } from '../hosting/model-reference.js';
import { monitored } from '../api/progress.js';
import { engineSettings } from '../api/settings.js';
import { modelsKind } from '../engine/models/kind.js';
import { addressOf, nameOf, withBlobs } from '../loading/model-source.js';

/** @typedef {import('../loading/folder-source.js').FolderSource} FolderSource */
/** @typedef {import('../loading/folder-source.js').Numbers} Numbers */

/**
 * @typedef {object} LoadOptions
 * @property {(monitor: import('../api/monitor.js').CreateMonitor) => void} [monitor] gets an EventTarget with 'downloadprogress' events
 * @property {AbortSignal} [signal] ends the loading
 * @property {boolean} [worker] as in `Translator.create`
 * @property {'baseline' | 'relaxed' | (string & {}) | URL | ArrayBuffer | WebAssembly.Module} [wasm] as there
 * @property {string | URL} [baseUrl] as there
 * @property {number} [threads] as there
 * @property {Numbers} [numbers] the number format of float weights in memory: 'float'; 'int8', a quarter of the size;
 *   or 'auto': int8 if floats would take over 128 MiB; default: 'auto'
 */

const kNumbers = ['auto', 'float', 'int8'];
export const kLoad = ['monitor', 'signal', 'worker', 'wasm', 'baseUrl', 'threads', 'numbers'];

/**
 * @param {LoadOptions | undefined} given
 * @param {string} call whose options they are
 */
function readLoad(given, call) {
  const options = /** @type {LoadOptions} */ (readFields(given, call, kLoad));
  wholeNumber(options.threads ?? 1, 1, 16, 'threads');
  return options;
}

/**
 * @param {FolderSource} source
 * @param {LoadOptions} options
 */
function withNumbers(source, { numbers }) {
  if (numbers !== undefined && !kNumbers.includes(numbers)) {
    throw invalid('numbers', `it is one of ${kNumbers.join(', ')}`);
  }
  return { ...source, numbers };
}

/**
 * @param {FolderSource} from
 * @param {LoadOptions} [given]
 * @param {import('../loading/model-files.js').ListedSource} [found] the same model, with the files that have been read
 * @returns {Promise<{reference: ModelReference, info: any}>}
 */
export async function openModel(from, given, found) {
  const options = readLoad(given, 'load');
  const { signal, numbers } = options;
  signal?.throwIfAborted();
  // Models with the same address and the same `numbers` are shared.
  const asked = withNumbers(from, options);
  const source = found ? { ...found, numbers } : asked;
  const address = addressOf(asked);
  const key = address === null ? {} : `${address} as ${numbers ?? 'auto'}`;
  const name = nameOf(address);
  const report = monitored(options.monitor);
  report(0);
  const reference = new ModelReference(engineSettings(options, modelsKind), key, /** @type {any} */ (source), report);
  try {
    const [{ build, threads }, { info }] = await reference.ready(signal);
    report(1);
    return { reference, info: { ...info, name, engine: build, threads, worker: reference.worker } };
  } catch (error) {
    reference.release();
    throw toPublicError(error);
  }
}

/**
 * @param {FolderSource} from
 * @param {LoadOptions} [given]
 * @returns {Promise<import('../engine/models/glue.js').AnyInfo & import('../engine/models/load-folder.js').Inspected>}
 */
export async function inspectModel(from, given) {
  const options = readLoad(given, 'inspect');
  const { signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const source = withNumbers(withBlobs(from), options); // read after the engine has started
  const host = holdHost(engineSettings(options, modelsKind));
  try {
    await unlessAborted(host.started, signal);
    return await unlessAborted(host.call('inspect', { source }, { signal }), signal);
  } catch (error) {
    throw toPublicError(error);
  } finally {
    host.release();
  }
}

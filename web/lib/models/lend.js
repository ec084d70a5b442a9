// From a folder to a model in an engine.
import { unlessAborted } from '../base/abort.js';
import { toPublicError } from '../base/errors.js';
import { invalid, readFields } from '../base/given.js';
import { holdHost } from '../hosting/host.js';
import { Lease } from '../hosting/lease.js';
import { CreateMonitor } from '../api/monitor.js';
import { engineSettings } from '../api/settings.js';
import { modelsKind } from '../engine/models/kind.js';
import { addressOf, nameOf } from '../loading/model-source.js';
import { folderSource } from '../loading/folder-source.js';

/** @typedef {import('../loading/folder-source.js').AnyModelOption} AnyModelOption */
/** @typedef {import('../loading/folder-source.js').Numbers} Numbers */

/**
 * @typedef {object} LoadOptions
 * @property {(monitor: CreateMonitor) => void} [monitor] is given an EventTarget with 'downloadprogress' events
 * @property {AbortSignal} [signal] gives the loading up
 * @property {boolean} [worker] as in `Translator.create`
 * @property {'baseline' | 'relaxed' | (string & {}) | URL | ArrayBuffer | WebAssembly.Module} [wasm] as there
 * @property {string | URL} [baseUrl] as there
 * @property {Numbers} [numbers] what weights of floats are kept as: 'float', 'int8', a quarter of the size, or 'auto',
 *   which is int8 where floats would take over 128 MiB; left out: 'auto'
 */

const kNumbers = ['auto', 'float', 'int8'];
export const kLoad = ['monitor', 'signal', 'worker', 'wasm', 'baseUrl', 'numbers'];

/**
 * @param {AnyModelOption} model
 * @param {LoadOptions} options
 */
function sourceOf(model, { numbers }) {
  if (numbers !== undefined && !kNumbers.includes(numbers)) {
    throw invalid('numbers', `it is one of ${kNumbers.join(', ')}`);
  }
  return { ...folderSource(model), numbers };
}

/**
 * @param {AnyModelOption} model
 * @param {LoadOptions} [given]
 * @param {import('../loading/model-files.js').ListedSource} [found] the same model, as far as it has been looked at
 * @returns {Promise<{lease: Lease, info: any}>}
 */
export async function lend(model, given, found) {
  const options = /** @type {LoadOptions} */ (readFields(given, 'load', kLoad));
  const { signal, numbers } = options;
  signal?.throwIfAborted();
  const asked = sourceOf(model, options);
  const source = found ? { ...found, numbers } : asked;
  const address = addressOf(asked);
  const key = address === null ? {} : `${address} as ${numbers ?? 'auto'}`;
  const name = nameOf(address);
  const monitor = new CreateMonitor();
  options.monitor?.(monitor);
  monitor.report(0);
  const lease = new Lease(engineSettings(options, modelsKind), key, /** @type {any} */ (source), (loaded) =>
    monitor.report(loaded),
  );
  try {
    const [{ build, threads }, { info }] = await lease.ready(signal);
    monitor.report(1);
    return { lease, info: { ...info, name, engine: build, threads, worker: lease.worker } };
  } catch (error) {
    lease.release();
    throw toPublicError(error);
  }
}

/**
 * @param {AnyModelOption} model
 * @param {LoadOptions} [given]
 * @returns {Promise<import('../engine/models/glue.js').AnyInfo & import('../engine/models/load-folder.js').Inspected>}
 */
export async function look(model, given) {
  const options = /** @type {LoadOptions} */ (readFields(given, 'inspect', kLoad));
  const { signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const source = sourceOf(model, options);
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

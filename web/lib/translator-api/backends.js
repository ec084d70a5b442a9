// The back ends of the classes: the same text as the translation, the engine, or the browser's own object.
import { onAbort, unlessAborted } from '../base/abort.js';
import { loadedPart, QkvError, quotaExceeded, toPublicError } from '../base/errors.js';
import { inputText, kInputQuota } from '../base/arguments.js';
import { asSpecified } from './detection.js';
import { Download } from './download.js';
import { exception } from './exception.js';

/** @typedef {import('../text/languages.js').LanguagePair} LanguagePair */
/** @typedef {(loaded: number) => void} Report */
/** @typedef {{next: () => Promise<{value?: string, done?: boolean}>}} Chunks */
/** @typedef {import('../api/translator.js').Translator} Engine */
/** @typedef {import('./detectors.js').Detector} Detector */
/** @typedef {import('./detectors.js').Result} Result */

/**
 * @typedef {object} Backend
 * @property {number} inputQuota
 * @property {(text: string, signal: AbortSignal) => Promise<number>} measure
 * @property {() => void} destroy
 * @property {() => void} leave called instead of `destroy` if create() was aborted: the model stays loaded
 */
/**
 * @typedef {object} Translating
 * @property {(text: string, signal: AbortSignal) => Promise<string>} translate
 * @property {(text: string, signal: AbortSignal) => Chunks} chunks of the translation
 */
/** @typedef {{detect: (text: string, signal: AbortSignal) => Promise<Result[]>}} Detecting */
/** @typedef {Backend & Translating & LanguagePair} TranslatorBackend */
/** @typedef {Backend & Detecting} DetectorBackend */

/** A text without a letter is its own translation: white space, control characters, numbers, emoji. */
const isTranslatable = (/** @type {string} */ text) => /\p{L}/u.test(text);

/**
 * For a language into itself: each text is its own translation.
 * @param {LanguagePair} languages
 * @returns {TranslatorBackend}
 */
export const echo = ({ sourceLanguage, targetLanguage }) => ({
  sourceLanguage,
  targetLanguage,
  inputQuota: kInputQuota,
  measure: async (text) => Math.max(text.length, 1), // a text uses at least 1 of a finite quota
  translate: async (text) => {
    inputText(text); // throws a QuotaExceededError
    return text;
  },
  chunks: (text) => ({
    next: async () => {
      const value = inputText(text) && text;
      text = '';
      return { value, done: !value };
    },
  }),
  destroy() {},
  leave() {},
});

/**
 * The engine with a model. The model is loaded, unless this has already begun.
 * @param {Map<string, Download<Engine>>} downloads
 * @param {string} key
 * @param {LanguagePair} given the options of qkv's Translator
 * @param {Report} report
 * @param {AbortSignal} [signal]
 * @returns {Promise<TranslatorBackend>}
 */
export async function openOwn(downloads, key, given, report, signal) {
  let download = downloads.get(key);
  if (!download) {
    download = new Download(
      (tell) => createEngine(given, tell),
      () => downloads.delete(key),
      (engine) => engine.destroy(),
    );
    downloads.set(key, download);
  }
  const engine = await download.hold(report, signal);
  return ofEngine(engine, download, echo(given));
}

/**
 * @param {LanguagePair} given
 * @param {Report} report
 */
async function createEngine(given, report) {
  const { create } = await loadedPart(() => import('./engine.js')).catch(notStarted);
  return create({ ...given, monitor: forwarding(report) }).catch(notStarted);
}

/**
 * @param {unknown} error
 * @returns {never} a NetworkError if a download failed, otherwise an OperationError
 */
function notStarted(error) {
  const known = toPublicError(error);
  throw known instanceof DOMException ? known : exception('OperationError', String(error), error);
}

/**
 * A monitor callback that passes on the progress.
 * @param {Report} report
 */
const forwarding = (report) => (/** @type {EventTarget} */ monitor) =>
  monitor.addEventListener('downloadprogress', (event) => report(/** @type {ProgressEvent} */ (event).loaded));

/**
 * @param {Engine} engine
 * @param {Download<Engine>} download
 * @param {TranslatorBackend} echoing
 * @returns {TranslatorBackend}
 */
const ofEngine = (engine, download, echoing) => ({
  ...echoing,
  translate: (text, signal) =>
    isTranslatable(text) ? engine.translate(text, { signal }).catch(failed) : echoing.translate(text, signal),
  chunks: (text, signal) =>
    isTranslatable(text) ? readFrom(() => engine.translateStreaming(text, { signal })) : echoing.chunks(text, signal),
  destroy: () => download.release(),
  leave: () => download.leave(),
});

/**
 * @param {unknown} error of the engine
 * @returns {never}
 */
function failed(error) {
  if (error instanceof DOMException && ['QuotaExceededError', 'AbortError'].includes(error.name)) throw error;
  throw exception('UnknownError', String(error), error);
}

/**
 * @param {() => ReadableStream<string>} open
 * @returns {Chunks}
 */
function readFrom(open) {
  /** @type {ReadableStreamDefaultReader<string> | undefined} */
  let reader;
  return {
    async next() {
      try {
        reader ??= open().getReader();
        return await reader.read();
      } catch (error) {
        return failed(error);
      }
    },
  };
}

/**
 * qkv's detector, which is loaded once and stays in memory.
 * @param {import('./detectors.js').DetectorSource} source
 * @param {Map<import('./detectors.js').DetectorSource, Download<Detector>>} downloads
 * @param {Report} report
 * @param {AbortSignal} [signal]
 * @returns {Promise<DetectorBackend>}
 */
export async function openDetector(source, downloads, report, signal) {
  // All detectors of a source share one download, which counts its users.
  let download = downloads.get(source);
  if (!download) {
    const load = (/** @type {Report} */ tell) => source.load({ report: tell }).catch(notStarted);
    download = new Download(
      load,
      () => downloads.delete(source),
      () => {},
    );
    downloads.set(source, download);
  }
  const detector = await download.hold(report, signal);
  const { inputQuota } = detector;
  const leave = () => download.leave();
  // The functions that the class calls. A text over the quota is refused before it is read.
  return {
    inputQuota,
    measure: async (text) => detector.measure(text),
    detect: async (text) => {
      const requested = detector.measure(text);
      const message = `the text uses ${requested} of a quota of ${inputQuota}: detect the language of a part of it`;
      if (requested > inputQuota)
        throw quotaExceeded(new QkvError('LIMIT_EXCEEDED', message, 'text'), { quota: inputQuota, requested });
      return asSpecified(await detector.detect(text));
    },
    destroy: leave,
    leave,
  };
}

/** The longest time without progress of the browser. */
const kStall = 15_000; // ms

/**
 * The browser's own object. Rejects if it fails, or makes no progress for too long.
 * @param {any} Native its class
 * @param {object} options
 * @param {Report} report
 * @param {AbortSignal} [signal]
 * @returns {Promise<TranslatorBackend & DetectorBackend>}
 */
export async function openNative(Native, options, report, signal) {
  // A timer, which each report starts again, and the caller's signal stop it.
  const stopping = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stopping.abort(exception('OperationError', 'The browser does not answer')), kStall);
  };
  const tell = (/** @type {number} */ loaded) => {
    wait();
    report(loaded);
  };
  const end = signal && onAbort(signal, () => stopping.abort(signal.reason));
  try {
    wait();
    const creating = Native.create({ ...options, monitor: forwarding(tell), signal: stopping.signal });
    return ofNative(await unlessAborted(Promise.resolve(creating), stopping.signal));
  } finally {
    clearTimeout(timer);
    end?.();
  }
}

/**
 * @param {any} native
 * @returns {TranslatorBackend & DetectorBackend}
 */
const ofNative = (native) => ({
  sourceLanguage: native.sourceLanguage,
  targetLanguage: native.targetLanguage,
  inputQuota: native.inputQuota,
  measure: (text, signal) => native.measureInputUsage(text, { signal }),
  translate: (text, signal) => native.translate(text, { signal }),
  chunks: (text, signal) => readFrom(() => native.translateStreaming(text, { signal })),
  detect: (text, signal) => native.detect(text, { signal }),
  destroy: () => native.destroy(),
  leave: () => native.destroy(),
});

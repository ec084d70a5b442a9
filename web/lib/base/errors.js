// Errors: the codes of the core, and a few that occur only in JavaScript.

/**
 * The one list of codes. The first five are the core's (core/base/error.h), in its order.
 *
 * - `INVALID_ARGUMENT`: an argument is not valid
 * - `INVALID_FILE`: a model file does not follow its format
 * - `MISSING_FILE`: a file of the model is missing
 * - `UNSUPPORTED`: well formed, but this engine or this runtime does not support it
 * - `LIMIT_EXCEEDED`: larger than a documented limit
 * - `NETWORK`: a download failed
 * - `ENGINE_FAILED`: the worker or the WebAssembly module died; the next call, or a new `create()`, starts a fresh one
 * - `DESTROYED`: the translator has been destroyed
 */
export const errorCodes = /** @type {const} */ ([
  'INVALID_ARGUMENT',
  'INVALID_FILE',
  'MISSING_FILE',
  'UNSUPPORTED',
  'LIMIT_EXCEEDED',
  'NETWORK',
  'ENGINE_FAILED',
  'DESTROYED',
]);

/** @typedef {typeof errorCodes[number]} QkvErrorCode */

/** An error with a code, a message that says what to do, and the place of the problem. */
export class QkvError extends Error {
  /** The minifier renames classes; this is the name that users see. @override */
  static name = 'QkvError';
  /**
   * @param {QkvErrorCode} code
   * @param {string} message says what is wrong and what to do
   * @param {string} [where] the file, tensor or field; '' where there is none
   * @param {{cause?: unknown}} [options]
   */
  constructor(code, message, where = '', options = undefined) {
    super(where && !message.includes(where) ? `${where}: ${message}` : message, options);
    /** @type {QkvErrorCode} */
    this.code = code;
    /** The file, tensor or field that the error is about; '' if there is none. */
    this.where = where;
  }

  /** @override */
  get name() {
    return 'QkvError';
  }
}

/**
 * The DOMException that the Translator specification prescribes for an error. Its `cause` is the QkvError.
 * @param {string} name
 * @param {QkvError} cause
 * @param {Record<string, unknown>} [details] further properties
 */
export function domException(name, cause, details = {}) {
  const exception = new DOMException(cause.message, name);
  for (const [key, value] of Object.entries({ cause, ...details })) {
    Object.defineProperty(exception, key, { value, configurable: true });
  }
  return exception;
}

/**
 * The error for a text that is too long: a QuotaExceededError, of the platform's own class if it has one.
 * @param {QkvError} cause
 * @param {{quota: number, requested: number}} sizes
 */
export function quotaExceeded(cause, sizes) {
  const { QuotaExceededError } = /** @type {any} */ (globalThis);
  if (!QuotaExceededError) return domException('QuotaExceededError', cause, sizes);
  return Object.defineProperty(new QuotaExceededError(cause.message, sizes), 'cause', { value: cause });
}

/**
 * The error with which `Translator` rejects for an error of the engine: a NetworkError for a failed download, otherwise
 * the error itself.
 * @param {unknown} error
 */
export function toPublicError(error) {
  return error instanceof QkvError && error.code === 'NETWORK' ? domException('NetworkError', error) : error;
}

/**
 * Throws the public form of an error: `promise.catch(rethrowPublic)`.
 * @param {unknown} error
 * @returns {never}
 */
export function rethrowPublic(error) {
  throw toPublicError(error);
}

/**
 * Loads a part of the package when it is first needed.
 * @template Part
 * @param {() => Promise<Part>} load by `import()`
 * @returns {Promise<Part>} rejects with a QkvError, code NETWORK
 */
export async function loadedPart(load) {
  try {
    return await load();
  } catch (cause) {
    const message =
      `a script of the package could not be loaded (${/** @type {Error} */ (cause).message}): ` +
      'check that every file which the bundler wrote is served, and try again';
    throw new QkvError('NETWORK', message, '', { cause });
  }
}

/**
 * Whether an error means that the engine has ended, not only one call. Any other exception belongs to one call.
 * @param {unknown} error
 */
export const hasEnded = (error) => error instanceof QkvError && error.code === 'ENGINE_FAILED';

/**
 * Whether an error says that a file does not exist.
 * @param {unknown} error
 */
export const isAbsent = (error) =>
  error instanceof QkvError && (error.code === 'MISSING_FILE' || /\bstatus 4\d\d|HTML page/.test(error.message));

/**
 * The same error with advice.
 * @param {QkvError} error
 * @param {string} advice
 */
export const advised = (error, advice) =>
  new QkvError(error.code, `${error.message}; ${advice}`, error.where, { cause: error });

/** @typedef {{code: QkvErrorCode, message: string, where: string}} PlainError as sent by a worker */

/**
 * @param {unknown} error
 * @returns {PlainError}
 */
export function toPlain(error) {
  if (error instanceof QkvError) return { code: error.code, message: error.message, where: error.where };
  return { code: 'ENGINE_FAILED', message: `The engine failed: ${String(error)}`, where: '' };
}

/** @param {PlainError} plain */
export function fromPlain({ code, message, where }) {
  return new QkvError(code, message, where);
}

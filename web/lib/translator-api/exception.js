// The DOMExceptions of the built-in API's classes.

/** The class is read on import, because in Chromium a removed frame has no DOMException any more. */
const Exception = globalThis.DOMException;

/** @param {string} name @param {string} message @param {unknown} [cause] */
export function exception(name, message, cause) {
  const error = new Exception(message, name);
  return cause === undefined ? error : Object.defineProperty(error, 'cause', { value: cause, configurable: true });
}

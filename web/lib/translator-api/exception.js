// The DOMExceptions of the façade.

/** In Chromium a removed frame has no DOMException any more, so it is looked up on import. */
const Exception = globalThis.DOMException;

/** @param {string} name @param {string} message @param {unknown} [cause] */
export function exception(name, message, cause) {
  const error = new Exception(message, name);
  return cause === undefined ? error : Object.defineProperty(error, 'cause', { value: cause, configurable: true });
}

/**
 * Runs `work` with a signal that aborts when any of `signals` does, with its reason, and when `work` has ended, so that
 * what it left running stops.
 * @template T
 * @param {(AbortSignal | null | undefined)[]} signals
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>} rejects with the reason as it is
 */
export async function withSignals(signals, work) {
  const controller = new AbortController();
  const listened = signals.filter((signal) => signal != null);
  for (const signal of listened) signal.throwIfAborted();
  const abort = (/** @type {Event} */ { target }) => controller.abort(/** @type {AbortSignal} */ (target).reason);
  for (const signal of listened) signal.addEventListener('abort', abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of listened) signal.removeEventListener('abort', abort);
    controller.abort();
  }
}

/**
 * `promise`, or a rejection with `signal.reason` as soon as the signal aborts; the promise itself goes on.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

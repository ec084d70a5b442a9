// Abort signals.

/** @typedef {() => void} Listener */

/** @type {WeakMap<AbortSignal, Set<Listener>>} the functions to call when each signal aborts */
const listeners = new WeakMap();

/**
 * Calls `listener` when the signal aborts. A signal itself gets only one event listener of this package, because Node warns
 * of an eleventh. It is removed with the last of ours; otherwise the signal would stay in memory.
 * @param {AbortSignal} signal
 * @param {Listener} listener
 * @returns {Listener} removes `listener`
 */
export function onAbort(signal, listener) {
  const ofSignal = listeners.get(signal) ?? new Set();
  if (ofSignal.size === 0) {
    listeners.set(signal, ofSignal);
    signal.addEventListener('abort', callListeners);
  }
  const own = () => listener(); // the same function may be added twice
  ofSignal.add(own);
  return () => {
    if (ofSignal.delete(own) && ofSignal.size === 0) signal.removeEventListener('abort', callListeners);
  };
}

/** @param {Event} event */
function callListeners({ target }) {
  for (const listener of listeners.get(/** @type {AbortSignal} */ (target)) ?? []) listener();
}

/**
 * Runs `work` with a signal of its own. That signal aborts when one of `signals` aborts, with the same reason. It also
 * aborts when `work` has ended. This stops anything that `work` has left running.
 * @template T
 * @param {(AbortSignal | null | undefined)[]} signals
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>} rejects with the signal's reason
 */
export async function withSignals(signals, work) {
  const controller = new AbortController();
  const given = signals.filter((signal) => signal != null);
  for (const signal of given) signal.throwIfAborted();
  const removers = given.map((signal) => onAbort(signal, () => controller.abort(signal.reason)));
  try {
    return await work(controller.signal);
  } finally {
    for (const remove of removers) remove();
    controller.abort();
  }
}

/**
 * The result of `promise`, or a rejection with `signal.reason` as soon as the signal aborts. `promise` itself goes on.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    promise.then(resolve, reject).finally(() => remove());
    const remove = onAbort(signal, () => reject(signal.reason));
    signal.throwIfAborted();
  });
}

/**
 * A stream of the values of `next`, which is called each time that the reader wants a value. The stream errors as soon
 * as one of `signals` aborts, even if nobody reads. Throws if one of them has already aborted.
 * @template T
 * @param {(AbortSignal | null | undefined)[]} signals
 * @param {(stopped: AbortSignal) => Promise<{value?: T, done?: boolean}>} next `stopped` aborts when the stream ends or
 *   is cancelled
 * @returns {ReadableStream<T>}
 */
export function stoppableStream(signals, next) {
  // `end` stops `next`, and removes the listeners from the signals.
  const given = signals.filter((signal) => signal != null);
  for (const signal of given) signal.throwIfAborted();
  const stopping = new AbortController();
  /** @type {Listener[]} */
  let removers = [];
  const end = (/** @type {unknown} */ reason) => {
    for (const remove of removers) remove();
    stopping.abort(reason);
  };
  // With a high-water mark of 0, `pull` is only called when the reader wants a value.
  return new ReadableStream(
    {
      start(controller) {
        const stop = (/** @type {AbortSignal} */ { reason }) => {
          controller.error(reason);
          end(reason);
        };
        removers = given.map((signal) => onAbort(signal, () => stop(signal)));
      },
      async pull(controller) {
        try {
          const { value, done } = await next(stopping.signal);
          if (stopping.signal.aborted) return;
          if (!done) return controller.enqueue(/** @type {T} */ (value));
          controller.close();
        } catch (error) {
          controller.error(error); // has no effect on a stream that has stopped
        }
        end(undefined);
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

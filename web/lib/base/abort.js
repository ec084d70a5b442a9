// Abort signals.

/** @typedef {() => void} Act */

/** @type {WeakMap<AbortSignal, Set<Act>>} what waits for each signal */
const waiting = new WeakMap();

/**
 * Calls `act` when the signal aborts. Each signal gets one listener of this package for all calls, because Node warns
 * of an eleventh listener. The listener is removed with the last call; otherwise it would keep the signal in memory.
 * @param {AbortSignal} signal
 * @param {Act} act
 * @returns {Act} removes `act`
 */
export function onAbort(signal, act) {
  const acts = waiting.get(signal) ?? new Set();
  if (acts.size === 0) {
    waiting.set(signal, acts);
    signal.addEventListener('abort', tell);
  }
  const own = () => act(); // the same function may be added twice
  acts.add(own);
  return () => {
    if (acts.delete(own) && acts.size === 0) signal.removeEventListener('abort', tell);
  };
}

/** @param {Event} event */
function tell({ target }) {
  for (const act of waiting.get(/** @type {AbortSignal} */ (target)) ?? []) act();
}

/**
 * Runs `work` with a signal that aborts when any of `signals` aborts, with the same reason, and when `work` has ended,
 * so that anything it left running stops.
 * @template T
 * @param {(AbortSignal | null | undefined)[]} signals
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>} rejects with the signal's reason
 */
export async function withSignals(signals, work) {
  const controller = new AbortController();
  const given = signals.filter((signal) => signal != null);
  for (const signal of given) signal.throwIfAborted();
  const endings = given.map((signal) => onAbort(signal, () => controller.abort(signal.reason)));
  try {
    return await work(controller.signal);
  } finally {
    for (const end of endings) end();
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
    promise.then(resolve, reject).finally(() => end());
    const end = onAbort(signal, () => reject(signal.reason));
    signal.throwIfAborted();
  });
}

/**
 * A stream of what `next` gives, one when the reader asks for it. It errors as soon as one of `signals` aborts, whether anyone
 * reads or not. Throws where one has aborted already.
 * @template T
 * @param {(AbortSignal | null | undefined)[]} signals
 * @param {(stopped: AbortSignal) => Promise<{value?: T, done?: boolean}>} next `stopped` aborts with the stream, and when it is
 *   cancelled
 * @returns {ReadableStream<T>}
 */
export function stoppableStream(signals, next) {
  const given = signals.filter((signal) => signal != null);
  for (const signal of given) signal.throwIfAborted();
  const stopping = new AbortController();
  /** @type {Act[]} */
  let endings = [];
  const end = (/** @type {unknown} */ reason) => {
    for (const ending of endings) ending();
    stopping.abort(reason);
  };
  return new ReadableStream(
    {
      start(controller) {
        const stop = (/** @type {AbortSignal} */ { reason }) => {
          controller.error(reason);
          end(reason);
        };
        endings = given.map((signal) => onAbort(signal, () => stop(signal)));
      },
      async pull(controller) {
        try {
          const { value, done } = await next(stopping.signal);
          if (stopping.signal.aborted) return;
          if (!done) return controller.enqueue(/** @type {T} */ (value));
          controller.close();
        } catch (error) {
          controller.error(error); // of a stream that has stopped this changes nothing
        }
        end(undefined);
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

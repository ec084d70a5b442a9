// Detects that a worker has ended. Browsers do not tell a page when its worker has closed itself, was ended in the
// developer tools, or ran out of memory. But such a worker releases its Web Locks, and the page waits for them.

/** Milliseconds between two pings to a worker without a lock. */
const kPause = 1000;
/**
 * A worker counts as dead after so many unanswered pings. A step of a large model takes seconds on a slow device.
 */
const kMissed = 10;
/** The same before its first answer, because a slow network may delay its script. */
const kMissedAtStart = 60;

/**
 * The worker's part: takes a lock and holds it until the worker ends.
 * @param {string} name
 * @returns {Promise<boolean>} false if there are no locks: on a page without HTTPS, in a sandboxed frame
 */
export function holdLock(name) {
  return new Promise((resolve) => {
    const hold = () => (resolve(true), new Promise(() => {}));
    const taken = locks()?.request(name, hold) ?? Promise.reject(new Error('there are no locks'));
    taken.catch(() => resolve(false));
  });
}

/** A name that no other lock has, in any page of this origin. */
export const uniqueName = () => `qkv ${Date.now()} ${Math.random()}`;

/**
 * Whether all of these locks are held now.
 * @param {string[]} names
 */
export async function areHeld(names) {
  const { held = [] } = (await locks()?.query()) ?? {};
  return names.every((name) => held.some((lock) => lock.name === name));
}

/**
 * Waits until the holder of a lock has ended.
 * @param {string} name
 * @param {() => void} died
 * @param {AbortSignal} ended ends the waiting
 * @returns {Promise<void>} rejects if the waiting is ended, or if there are no locks
 */
export async function waitForEnd(name, died, ended) {
  await locks()?.request(name, { signal: ended }, died);
}

/**
 * The functions that a page needs to watch its worker.
 * @typedef {object} Watched
 * @property {(name: string) => Promise<boolean>} hold asks the worker to call `holdLock`
 * @property {() => void} ping asks the worker for any answer
 * @property {() => boolean} isAsked whether any call waits for an answer
 * @property {() => void} died is called when the worker has ended
 * @property {AbortSignal} ended ends the watch
 */

/**
 * The page's part: the page gets the lock when the worker has ended. As long as the worker does not hold the lock, or if
 * there are no locks, the page pings the worker every second.
 * @param {Watched} watched
 * @returns {() => void} call it at each message from the worker
 */
export function watch({ hold, ping, isAsked, died, ended }) {
  let silent = 0;
  let most = kMissedAtStart;
  let isLocked = false;
  const checkOnce = () => {
    silent = isAsked() ? silent + 1 : 0;
    if (silent > most) died();
    else if (silent > 0) ping();
  };
  const timer = setInterval(() => isLocked || checkOnce(), kPause);
  const waitForLock = async () => {
    const name = uniqueName();
    isLocked = locks() !== undefined && (await hold(name));
    if (isLocked) await waitForEnd(name, died, ended);
  };
  waitForLock().catch(() => (isLocked = false)); // the page is not allowed the lock, or the worker has ended
  ended.addEventListener('abort', () => clearInterval(timer));
  return () => {
    silent = 0;
    most = kMissed;
  };
}

/** @returns {LockManager | undefined} */
const locks = () => globalThis.navigator?.locks;

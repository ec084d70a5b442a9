// Whether a worker lives. A browser does not tell a page that its worker has ended: because it closed itself, because
// somebody ended it in the browser's developer tools, or because it ran out of memory. But a worker that has ended gives
// back the Web Locks that it held, and the page waits for them.

/** Milliseconds between two questions to a worker without a lock. */
const kBeat = 1000;
/** Questions without an answer after which it counts as dead. A step of a large model takes a slow device seconds. */
const kMissed = 10;
/** The same before its first answer: its script may come over a slow network. */
const kMissedAtStart = 60;

/**
 * The worker's part: takes a lock that it holds as long as it lives.
 * @param {string} name
 * @returns {Promise<boolean>} false where there are no locks: on a page without HTTPS, in a sandboxed frame
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
 * Waits for the end of whoever holds a lock.
 * @param {string} name
 * @param {() => void} died
 * @param {AbortSignal} ended ends the waiting
 * @returns {Promise<void>} rejects where it is ended, or where there are no locks
 */
export async function waitForEnd(name, died, ended) {
  await locks()?.request(name, { signal: ended }, died);
}

/**
 * What a page needs of its worker to watch it.
 * @typedef {object} Watched
 * @property {(name: string) => Promise<boolean>} hold asks it to take a lock, by `holdLock`
 * @property {() => void} ping asks it for any answer
 * @property {() => boolean} isAsked whether anybody waits for it
 * @property {() => void} died is called once it has ended
 * @property {AbortSignal} ended ends the watch
 */

/**
 * The page's part: the lock is given to the page when the worker has ended. Until the worker has it, and where there are
 * no locks, the page asks the worker every second.
 * @param {Watched} watched
 * @returns {() => void} to be called at each message from the worker
 */
export function watch({ hold, ping, isAsked, died, ended }) {
  let silent = 0;
  let most = kMissedAtStart;
  let isLocked = false;
  const beat = () => {
    silent = isAsked() ? silent + 1 : 0;
    if (silent > most) died();
    else if (silent > 0) ping();
  };
  const timer = setInterval(() => isLocked || beat(), kBeat);
  const waitForLock = async () => {
    const name = uniqueName();
    isLocked = locks() !== undefined && (await hold(name));
    if (isLocked) await waitForEnd(name, died, ended);
  };
  waitForLock().catch(() => (isLocked = false)); // the page may not have the lock, or the worker has ended
  ended.addEventListener('abort', () => clearInterval(timer));
  return () => {
    silent = 0;
    most = kMissed;
  };
}

/** @returns {LockManager | undefined} */
const locks = () => globalThis.navigator?.locks;

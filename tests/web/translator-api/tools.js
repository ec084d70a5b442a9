// Shared by the rows. All of it runs in the page.

export const kPair = { sourceLanguage: 'en', targetLanguage: 'fr' };
/** A small random model: its words mean nothing. */
export const kTiny = '/tests/goldens/models/tiny-f32/';
/** A real model, and a sentence for which its result is certain. */
export const kReal = '/web/models/en-fr/';
export const kLong = 'We went home and then we ate. '.repeat(300);

/**
 * Configures the classes under test. The page sets `qkvConfigure`, because these modules are also loaded outside a page, for the
 * names of the rows. Nothing is stored for the next row, unless a row asks for it.
 */
export const configure = (options) => globalThis.qkvConfigure({ store: false, ...options });

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {unknown} found @param {unknown} expected */
export function same(found, expected) {
  const [a, b] = [found, expected].map((value) => JSON.stringify(value) ?? String(value));
  if (a !== b || typeof found !== typeof expected) throw new Error(`found ${a}, expected ${b}`);
}

/** The same value. @param {unknown} found @param {unknown} expected */
export function identical(found, expected) {
  if (!Object.is(found, expected)) throw new Error(`found ${String(found)}, expected ${String(expected)}`);
}

/** @param {unknown} fact @param {string} [what] */
export function holds(fact, what = 'it does not hold') {
  if (!fact) throw new Error(what);
}

/** The rejection of a promise. @param {Promise<unknown>} promise @param {string} [name] of the error */
export async function rejected(promise, name) {
  holds(promise instanceof Promise, 'it is no promise');
  const error = await promise.then(
    (value) => {
      throw new Error(`it resolved with ${String(value)}`);
    },
    (reason) => reason,
  );
  if (name) holds(error?.name === name, `it rejected with ${String(error)}, not ${name}`);
  return error;
}

/** The error of a call. @param {() => unknown} call @param {string} [name] */
export function thrown(call, name) {
  let result;
  try {
    result = call();
  } catch (error) {
    if (name) holds(error?.name === name, `it threw ${String(error)}, not ${name}`);
    return error;
  }
  throw new Error(`it returned ${String(result)}`);
}

/** Changes a property of an object for one use. */
export async function with_(object, name, value, use) {
  const own = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
  try {
    return await use();
  } finally {
    if (own) Object.defineProperty(object, name, own);
    else delete object[name];
  }
}

/** Calls a function as after a user's click, or as without one. */
export const activated = (isActive, use) => with_(navigator, 'userActivation', { isActive }, use);

/** Reads a stream to its end. @param {ReadableStream<string>} stream */
export async function collected(stream) {
  const chunks = [];
  for (const reader = stream.getReader(); ;) {
    const { value, done } = await reader.read();
    if (done) return chunks;
    chunks.push(value);
  }
}

/** All events of a create(). @param {object} options */
export async function eventsOf(options) {
  const events = [];
  const monitor = (m) => m.addEventListener('downloadprogress', (event) => events.push({ event }));
  const translator = await globalThis.Translator.create({ ...options, monitor });
  return { events, translator };
}

/** While `use` runs, fetch waits so many milliseconds before each 64 KiB. `use` gets the requests. */
export function slowly(ms, use) {
  const own = globalThis.fetch;
  const requests = [];
  const slow = async (...given) => {
    requests.push(String(given[0]?.url ?? given[0]));
    const answer = await own(...given);
    const transform = async (chunk, controller) => {
      for (let i = 0; i < chunk.length; i += 65536) {
        await sleep(ms);
        controller.enqueue(chunk.subarray(i, i + 65536));
      }
    };
    return new Response(answer.body.pipeThrough(new TransformStream({ transform })), answer);
  };
  return with_(globalThis, 'fetch', slow, () => use(requests));
}

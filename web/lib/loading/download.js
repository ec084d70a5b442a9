// Downloads a file over http, and finds the reason of a failure.
import { QkvError } from '../base/errors.js';
import { nextTask } from '../base/runtime.js';

/** Larger chunks cost memory, smaller ones cost time. */
export const kChunk = 1 << 20;

/** The status codes of a server that may have the file later. */
const kTemporary = [408, 425, 429];

/**
 * @param {string} url
 * @param {string} name for errors
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>} with a good status; rejects with NETWORK, whose message names the cause
 */
export async function request(url, name, signal) {
  return /** @type {Response} */ (await ask(url, name, signal, false));
}

/**
 * @param {string} url
 * @param {string} name
 * @param {AbortSignal | undefined} signal
 * @param {boolean} isOptional
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Response | null>} null for an optional file that the server does not have, by any of the usual
 *   answers
 */
async function ask(url, name, signal, isOptional, headers) {
  const policy = watchPolicy();
  try {
    const response = await fetch(url, { signal, headers });
    if (response.ok) return response;
    response.body?.cancel().catch(() => {});
    const { status } = response;
    if (isOptional && status < 500 && !kTemporary.includes(status)) return null;
    throw badStatus(url, status, name);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof QkvError) throw error;
    if (isOptional && isForeign(url)) return null; // an error page without CORS fails like this
    const why = await whyNoAnswer(url, error, policy);
    throw new QkvError('NETWORK', `${name} could not be fetched from ${url}: ${why}`, name, { cause: error });
  } finally {
    policy.end();
  }
}

/**
 * @param {string} url
 * @param {number} status
 * @param {string} name
 */
function badStatus(url, status, name) {
  const isAbsent = status === 404 || status === 410;
  const message = isAbsent
    ? `there is no ${name} at ${url} (status ${status})`
    : `${name} could not be fetched: ${url} answered with status ${status}`;
  return new QkvError('NETWORK', message, name);
}

/**
 * The first bytes of a file, which have been downloaded before. `tag`: as in `Opened`; `hash`: of the whole file.
 * @typedef {{size: number, tag?: string, hash?: string}} Beginning
 */

/**
 * @param {string} url
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @param {boolean} [isOptional]
 * @param {Beginning} [from] if given, only the rest is requested (RFC 9110, 14)
 * @returns {Promise<import('./fetch.js').Opened | null>} the whole file if the server sends no ranges or has another
 *   file now; rejects as `request` does
 */
export async function download(url, name, signal, isOptional = false, from) {
  if (from) {
    const { size, tag, hash } = from;
    const range = { range: `bytes=${size}-`, ...(tag && !isForeign(url) && { 'if-range': tag }) };
    const response = await ask(url, name, signal, false, range).catch(() => null);
    const rest = response && bodyOf(response, name, signal);
    if (response?.status === 200) return rest;
    const begin = response?.headers.get('content-range') ?? `bytes ${size}-`; // another origin may hide this header
    const isSame = rest?.tag ? rest.tag === tag : hash; // without a tag, the hash is compared when the file is complete
    if (rest && isSame && begin.startsWith(`bytes ${size}-`))
      return { ...rest, size: rest.size && rest.size + size, isRest: true };
    response?.body?.cancel().catch(() => {});
  }
  const response = await ask(url, name, signal, isOptional);
  return response && bodyOf(response, name, signal);
}

/**
 * @param {Response} response
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {import('./fetch.js').Opened}
 */
export function bodyOf(response, name, signal) {
  const { size, exact } = sizeOf(response);
  return { chunks: bodyChunks(response, name, size, signal), size, exact, tag: tagOf(response) };
}

/**
 * Identifies the content of a file at an address: its strong ETag, otherwise the time of its last modification.
 * @param {Response} response
 * @returns {string | undefined} undefined if the server sends neither, or another origin hides them
 */
export function tagOf({ headers }) {
  const tag = headers.get('etag');
  return (tag?.startsWith('"') ? tag : headers.get('last-modified')) ?? undefined;
}

/**
 * Content-Length counts compressed bytes. A page cannot see whether a response of another origin was compressed.
 * @param {Response} response
 */
function sizeOf({ headers, type }) {
  const size = headers.get('content-encoding') ? 0 : Number(headers.get('content-length')) || 0;
  return { size, exact: size > 0 && type !== 'cors' };
}

/**
 * @param {Response} response
 * @param {string} name
 * @param {number} size
 * @param {AbortSignal} [signal]
 */
async function* bodyChunks(response, name, size, signal) {
  if (!response.body) return;
  const { reader, read } = readerOf(response.body);
  let got = 0;
  try {
    for (;;) {
      const { done, value } = await read();
      if (done || !value) return;
      got += value.length;
      yield value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    const much = size ? `${got} of ${size} bytes` : `${got} bytes`;
    const message = `the connection broke during the download of ${name}, after ${much} (${reason(error)})`;
    throw new QkvError('NETWORK', message, name, { cause: error });
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Reads into the same buffer again and again, if the platform can: small chunks of a whole model would be much garbage.
 * @param {ReadableStream<Uint8Array>} body
 */
function readerOf(body) {
  let buffer = new ArrayBuffer(kChunk);
  try {
    const reader = body.getReader({ mode: 'byob' });
    const read = async () => {
      const result = await reader.read(new Uint8Array(buffer));
      if (result.value) buffer = /** @type {ArrayBuffer} */ (result.value.buffer);
      return result;
    };
    return { reader, read };
  } catch {
    const reader = body.getReader();
    return { reader, read: () => reader.read() };
  }
}

/**
 * The reason why a request got no answer. Browsers tell a script only that there was none; this function finds out
 * more.
 * @param {string} url
 * @param {unknown} error
 * @param {ReturnType<typeof watchPolicy>} policy
 * @returns {Promise<string>}
 */
async function whyNoAnswer(url, error, policy) {
  const { location, navigator, origin } = globalThis;
  if (!location) return reason(error);
  if (navigator?.onLine === false) return 'this device is offline';
  await nextTask(); // a violation is reported after the request has failed
  if (policy.isViolated())
    return "the page's Content-Security-Policy does not allow it: name its origin in connect-src";
  if (!isForeign(url)) return `the server does not answer (${reason(error)})`;
  const { origin: server } = new URL(url);
  const how = { method: 'HEAD', mode: /** @type {const} */ ('no-cors'), signal: AbortSignal.timeout(3000) };
  const answers = await fetch(url, how).then(
    () => true,
    () => false,
  );
  const headers = 'it must send Access-Control-Allow-Origin (CORS)';
  if (answers) return `${server} answers, and does not let pages of ${origin} read the answer: ${headers}`;
  return `${server} does not answer, or does not let pages of ${origin} read the answer: then ${headers}`;
}

/** Whether a URL has another origin than the page. @param {string} url */
export function isForeign(url) {
  return !!globalThis.location && new URL(url).origin !== globalThis.origin;
}

/** Listens for requests that the page's Content-Security-Policy refuses, until `end` is called. */
function watchPolicy() {
  let isViolated = false;
  const onViolation = (/** @type {any} */ event) => (isViolated ||= event.effectiveDirective === 'connect-src');
  globalThis.addEventListener?.('securitypolicyviolation', onViolation);
  return {
    isViolated: () => isViolated,
    end: () => globalThis.removeEventListener?.('securitypolicyviolation', onViolation),
  };
}

/** @param {unknown} error */
export const reason = (error) => {
  const { cause, message } = /** @type {{cause?: {message?: string, code?: string}, message?: string}} */ (error);
  return cause?.message || cause?.code || message || String(error);
};

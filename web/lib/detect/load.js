// The detector's weights: loaded once for each URL, and kept in memory.
import { QkvError, advised, isAbsent } from '../base/errors.js';
import { kCopyAdvice } from '../base/package-file.js';
import { open } from '../loading/fetch.js';
import { weightsUrl } from './assets.js';
import { readWeights } from './weights.js';

/** @typedef {import('./weights.js').Weights} Weights */

const kName = 'languages.bin';
/** The file's size, for progress if a server does not send it. */
const kSize = 180_000;

/** @type {Map<string, Promise<Weights>>} by URL */
const loaded = new Map();

/**
 * @param {string | undefined} base the folder of the package's files, as `packageFile` takes it
 * @param {(share: number) => void} [report] gets the share of the download, from 0 to 1, if this call is the first
 * @returns {Promise<Weights>} rejects with a QkvError: NETWORK, MISSING_FILE, INVALID_FILE; then the next call tries again
 */
export function loadWeights(base, report = () => {}) {
  const url = weightsUrl(base);
  const known = loaded.get(url);
  if (known) return known;
  const loading = fetchWeights(url, report);
  loaded.set(url, loading);
  loading.catch(() => loaded.delete(url));
  return loading;
}

/** @param {string} url @param {(share: number) => void} report */
async function fetchWeights(url, report) {
  try {
    const { chunks, size } = await open(url, kName);
    const parts = [];
    let got = 0;
    for await (const chunk of chunks) {
      parts.push(chunk.slice());
      got += chunk.length;
      report(Math.min(1, got / (size || kSize)));
    }
    const weights = readWeights(await new Blob(parts).arrayBuffer(), kName);
    report(1);
    return weights;
  } catch (error) {
    throw error instanceof QkvError && isAbsent(error) ? advised(error, kCopyAdvice) : error;
  }
}

// Loads a model in Marian's own files into an engine.
import { QkvError } from '../base/errors.js';
import { collect } from '../loading/fetch.js';
import { unpacked } from '../loading/gunzip.js';

/** @typedef {import('../loading/model-files.js').Opener} Opener */
/** @typedef {import('../loading/fetch.js').Opened} Opened */

/**
 * Opens a model in Marian's own files: reads its small files and opens its weights, for an engine's loader.
 * @param {Opener} opener
 * @param {import('../loading/marian-files.js').MarianNames} names
 * @param {AbortSignal} signal
 * @returns {Promise<{files: Omit<import('./glue.d.ts').LoaderFiles, 'weightsSize'>, weights: Opened, name: string} | null>}
 *   null if there are no weights; rejects with a QkvError
 */
export async function openMarian(opener, names, signal) {
  // The weights are opened first and read last. If anything fails in between, they are closed.
  const model = await openFirst(opener, names.weights, signal);
  if (!model) return null;
  const { opened: weights, name } = model;
  try {
    const read = (/** @type {string[]} */ candidates) => readFirst(opener, candidates, signal);
    // One vocabulary for both sides, or one for each.
    const [one, shortlist] = await Promise.all([read(names.vocabulary), read(names.shortlist)]);
    const [source, target] = one ? [one] : await Promise.all([read(names.sourceSpm), read(names.targetSpm)]);
    if (!source || (!one && !target)) {
      const message = 'the model has neither vocab.*.spm nor srcvocab.*.spm and trgvocab.*.spm';
      throw new QkvError('MISSING_FILE', message, name);
    }
    const files = {
      sourceSpm: source.bytes,
      targetSpm: target?.bytes ?? null,
      shortlist: shortlist?.bytes ?? null,
      names: { weights: name, sourceSpm: source.name, targetSpm: target?.name ?? '', shortlist: shortlist?.name ?? '' },
    };
    return { files, weights, name };
  } catch (error) {
    await weights.chunks[Symbol.asyncIterator]().return?.();
    throw error;
  }
}

/**
 * The first of some files that exists, unpacked.
 * @param {Opener} opener
 * @param {string[]} names
 * @param {AbortSignal} signal
 */
async function openFirst(opener, names, signal) {
  for (const name of names) {
    const opened = await opener(name, true);
    if (opened) return { name, opened: await unpacked(opened, name, signal) };
  }
  return null;
}

/**
 * @param {Opener} opener
 * @param {string[]} names
 * @param {AbortSignal} signal
 */
async function readFirst(opener, names, signal) {
  const first = await openFirst(opener, names, signal);
  return first && { name: first.name, bytes: await collect(first.opened, first.name) };
}

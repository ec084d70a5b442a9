/// <reference lib="esnext.disposable" preserve="true" />
// The base class of encoders and generators: it calls the engine, and frees the model.
import { unlessAborted, withSignals } from '../base/abort.js';
import { QkvError, domException, toPublicError } from '../base/errors.js';
import { invalid } from '../base/arguments.js';
import { changesText } from '../engine/models/changes.js';

/** @typedef {import('../hosting/model-reference.js').ModelReference} ModelReference */
/** @typedef {import('../engine/models/glue.js').ModelKind} ModelKind */

/** @typedef {import('../api/interventions.js').Intervention} Intervention */

/**
 * The option `interventions` in the form for the engine.
 * @param {Intervention[] | undefined} interventions
 */
export function changes(interventions) {
  return interventions ? { interventions: changesText(interventions) } : {};
}

/** A model in an engine. It has one side: an encoder or a decoder. */
export class OneSided {
  #reference;
  #life = new AbortController();

  /** @param {ModelReference} reference */
  constructor(reference) {
    this.#reference = reference;
  }

  /** Frees the model's memory; running calls reject with an AbortError. */
  destroy() {
    if (this.#life.signal.aborted) return;
    this.#life.abort(domException('AbortError', new QkvError('DESTROYED', 'it was destroyed while this was running')));
    this.#reference.release();
  }

  [Symbol.dispose]() {
    this.destroy();
  }

  async [Symbol.asyncDispose]() {
    this.destroy();
  }

  /**
   * The size of the engine's memory. Other models may be in it.
   * @returns {Promise<number>} bytes
   */
  memoryBytes() {
    return this.call('memory', {}, undefined);
  }

  /**
   * @param {string} method
   * @param {object} args
   * @param {AbortSignal | null | undefined} signal
   * @param {(progress: any) => unknown} [progress]
   * @returns {Promise<any>}
   * @internal
   */
  async call(method, args, signal, progress) {
    if (this.#life.signal.aborted) {
      throw domException('InvalidStateError', new QkvError('DESTROYED', 'it has been destroyed: load it again'));
    }
    try {
      return await withSignals([this.#life.signal, signal], (both) =>
        unlessAborted(
          this.#reference.call(method, args, both, (report) => both.aborted || progress?.(report)),
          both,
        ),
      );
    } catch (error) {
      throw toPublicError(error);
    }
  }
}

/**
 * Throws if a folder's model is of another kind than the caller wants.
 * @param {ModelKind} kind of the folder
 * @param {ModelKind | undefined} wanted undefined: any
 * @param {() => void} release frees the loaded model
 */
export function checkKind(kind, wanted, release) {
  if (wanted === undefined || kind === wanted) return;
  release();
  const right = { translation: 'Translator.create', encoder: 'Encoder.load', generator: 'Generator.load' }[kind];
  throw invalid('config.json', `the folder has a model for ${right}, or for load() without a class`);
}

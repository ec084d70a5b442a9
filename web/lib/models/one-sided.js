/// <reference lib="esnext.disposable" preserve="true" />
// What encoders and generators share: calling, ending.
import { unlessAborted, withSignals } from '../base/abort.js';
import { QkvError, domException, toPublicError } from '../base/errors.js';
import { invalid } from '../base/arguments.js';
import { changesText } from '../engine/models/changes.js';

/** @typedef {import('../hosting/model-reference.js').ModelReference} ModelReference */
/** @typedef {import('../engine/models/glue.js').ModelKind} ModelKind */

/** @typedef {import('../api/interventions.js').Intervention} Intervention */

/**
 * The option `interventions`, as the engine takes it.
 * @param {Intervention[] | undefined} interventions
 */
export function changes(interventions) {
  return interventions ? { interventions: changesText(interventions) } : {};
}

/** A model in an engine. */
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
   * The size of the engine's memory, with all that share it.
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
 * @param {ModelKind} kind of the folder
 * @param {ModelKind | undefined} wanted undefined: any
 * @param {() => void} giveBack frees the loaded model
 */
export function checkKind(kind, wanted, giveBack) {
  if (wanted === undefined || kind === wanted) return;
  giveBack();
  const right = { translation: 'Translator.create', encoder: 'Encoder.load', generator: 'Generator.load' }[kind];
  throw invalid('config.json', `the folder holds a model for ${right}, or for load() of any class`);
}

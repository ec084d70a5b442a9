// The engine of qkv/models: an Engine for translation, with more methods for encoders and generators.
import { unlessAborted } from '../../base/abort.js';
import { withCarried } from '../../text/carry-options.js';
import { Engine, handlersOf } from '../engine.js';
import { instantiateGuarded } from '../guarded.js';
import createModule from './glue.js';
import { inspectFolder, loadFolder } from './load-folder.js';

/** @typedef {import('../engine.js').Call} Call */
/** @typedef {import('../../loading/model-source.js').ModelSource} ModelSource */
/** @typedef {import('./glue.js').GuardedModels} GuardedModels */

export class ModelsEngine {
  #wasm = /** @type {GuardedModels | null} */ (null);
  engine = new Engine(async (settings) => {
    const started = await instantiateGuarded(createModule, settings);
    this.#wasm = /** @type {any} */ (started.wasm);
    return started;
  }, loadFolder);

  /**
   * The content of a folder, and its size in memory.
   * @param {{source: ModelSource}} args
   * @param {Call} call
   */
  inspect({ source }, { signal }) {
    return inspectFolder(this.#module(), source, signal);
  }

  /**
   * @param {{model: number, inputs: [string, string | null][], options: object, reading: object}} args
   * @param {Call} call
   */
  encode({ model, inputs, options, reading }, { signal }) {
    const wasm = this.#module();
    return this.#finish(wasm.encodeStart(model, inputs, options), signal, (job) => wasm.encodeResult(job, reading));
  }

  /**
   * `paced`: each new text is reported, and the next one is generated when the receiver is ready for it.
   * @param {{model: number, prompt: string, options: object, paced?: boolean}} args
   * @param {Call} call
   */
  generate({ model, prompt, options, paced = false }, { signal, progress }) {
    const wasm = this.#module();
    const job = wasm.generateStart(model, prompt, options);
    if (!paced) return this.#finish(job, signal, wasm.generateResult);
    let reported = '';
    const isNew = () => wasm.generateText(job) !== reported;
    const report = () => unlessAborted(progress((reported = wasm.generateText(job))), signal);
    return this.#finish(job, signal, wasm.generateResult, isNew, report);
  }

  /**
   * @param {{model: number, text: string, options: object}} args
   * @param {Call} call
   */
  traceText({ model, text, options }, { signal }) {
    const wasm = this.#module();
    return this.#finish(wasm.generationTraceStart(model, text, options), signal, wasm.generationTraceResult);
  }

  /**
   * @param {{model: number, question: string, source: string, target?: string, carry?: import('../../text/carry-options.js').Carry}} args
   * @param {Call} call
   */
  async explain({ model, question, source, target, carry, ...choice }, { signal }) {
    const wasm = this.#module();
    const job = wasm.explainStart(model, question, withCarried(source, carry), target, choice);
    try {
      await this.engine.takeTurns(() => wasm.explainStep(job), signal);
      return wasm.explainResult(job);
    } finally {
      wasm.explainFree(job);
    }
  }

  /**
   * Runs a job to its end and frees it, however it ends.
   * @template Result
   * @param {number} job
   * @param {AbortSignal} signal
   * @param {(job: number) => Result} result
   * @param {() => boolean} [isNew] called after a step: whether there is something to report
   * @param {() => Promise<void>} [report] is awaited
   */
  async #finish(job, signal, result, isNew = () => false, report = async () => {}) {
    const wasm = this.#module();
    let isDone = false;
    try {
      while (!isDone) {
        await this.engine.takeTurns(() => (isDone = wasm.oneSidedStep(job)) || isNew(), signal);
        if (!isDone) await report();
      }
      return result(job);
    } finally {
      wasm.oneSidedFree(job);
    }
  }

  #module() {
    if (!this.#wasm) throw new Error('the engine has not been started');
    return this.#wasm;
  }
}

/**
 * @returns {Record<string, import('../../worker/protocol.js').Handler>}
 */
export function createHandlers() {
  const models = new ModelsEngine();
  return {
    ...handlersOf(models.engine),
    inspect: async (args, call) => models.inspect(args, call),
    encode: async (args, call) => models.encode(args, call),
    generate: async (args, call) => models.generate(args, call),
    traceText: async (args, call) => models.traceText(args, call),
    explain: async (args, call) => models.explain(args, call),
  };
}

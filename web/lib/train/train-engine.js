// The engine that trains, in one thread. Between two training steps it runs jobs of the model.
import { Engine } from '../engine/engine.js';
import { startGuarded } from '../engine/start-guarded.js';
import { QkvError } from '../base/errors.js';
import createModule from './glue.js';
import { pointerKind, sequenceKind } from './trainer-kinds.js';

/** @typedef {import('../engine/engine.js').Call} Call */

/** @typedef {import('../engine/glue.js').TrainerData} TrainerData */
/** @typedef {import('../engine/glue.js').AttentionGradient} AttentionGradient */
/** @typedef {import('../engine/glue.js').PointerData} PointerData */

/**
 * The state from which a trainer continues. `place`: numbers as JSON; `tensors`: weights, moments and averages as
 * safetensors. It can be stored in IndexedDB.
 * @typedef {{place: string, tensors: Uint8Array}} Checkpoint
 */

/**
 * @typedef {object} Progress
 * @property {number} step updates so far
 * @property {number} steps the updates of this call
 * @property {number} loss the mean of the steps of this call, in nats for each piece, with label smoothing; with a pointer network
 *   in nats for each place
 * @property {number} pieces the number of pieces in that mean; with a pointer network the number of steps
 * @property {number} tokens the pieces of source and target so far; with a pointer network 0
 * @property {number} rate the learning rate of the last step
 * @property {number} gradient the length of its gradient before clipping
 * @property {number} milliseconds taken by the steps of this call
 */

/** An engine with one trainer. */
export class TrainEngine {
  #trainer = 0;
  /** @type {import('./trainer-kinds.js').Learner | null} */
  #learner = null;
  #answering = 0;
  #isPaused = false;
  #wasm = /** @type {import('../engine/guard.js').GuardedModule | null} */ (null);
  #engine = new Engine(async (settings) => {
    const started = await startGuarded(createModule, settings, 'create a new Trainer');
    this.#wasm = started.wasm;
    return started;
  }, loadsNothing);

  /** @param {{wasm: import('../engine/instantiate.js').WasmSettings, config: string, data: TrainerData, checkpoint?: Checkpoint}} args */
  async create({ wasm, config, data, checkpoint }) {
    await this.#engine.start({ wasm });
    const module = this.#module();
    this.#trainer = module.trainerCreate(config, data);
    this.#learner = sequenceKind(module, this.#trainer);
    if (checkpoint) this.#learner.restore(checkpoint);
    return { info: module.modelInfo(this.#trainer) };
  }

  /**
   * @param {{wasm: import('../engine/instantiate.js').WasmSettings, config: string, sets: PointerData, dev: PointerData, checkpoint?: Checkpoint, weights?: Uint8Array}} args
   */
  async createPointer({ wasm, config, sets, dev, checkpoint, weights }) {
    await this.#engine.start({ wasm });
    const module = this.#module();
    this.#trainer = module.pointerCreate(config, sets, dev);
    this.#learner = pointerKind(module, this.#trainer);
    if (weights) module.pointerLoad(this.#trainer, weights, 0, false);
    if (checkpoint) this.#learner.restore(checkpoint);
    return { parameters: module.pointerSize(this.#trainer) };
  }

  /**
   * Runs steps until their number or their time is reached, or `pause` is called. Jobs of the model run first: the weights
   * must not change during a job.
   * @param {{steps: number, milliseconds: number}} args
   * @param {Call} call
   * @returns {Promise<Progress>}
   */
  async train({ steps, milliseconds }, { signal }) {
    const learner = this.#requireLearner();
    const begin = performance.now();
    this.#isPaused = false;
    let done = 0;
    let loss = 0;
    let pieces = 0;
    /** @type {import('./trainer-kinds.js').Step | undefined} */
    let last;
    // One step at a time, in turn with the jobs of the model.
    await this.#engine.takeTurns(() => {
      if (this.#answering > 0) return false;
      last = learner.step();
      if (!last.finite) throw new QkvError('INVALID_ARGUMENT', kDiverged, 'schedule.peak');
      loss += last.loss;
      pieces += last.pieces;
      return ++done >= steps || this.#isPaused || performance.now() - begin >= milliseconds;
    }, signal);
    const { step, tokens, rate, gradient } = /** @type {import('./trainer-kinds.js').Step} */ (last);
    const report = { step, steps: done, loss: loss / pieces, pieces, tokens, rate, gradient };
    return { ...report, milliseconds: performance.now() - begin };
  }

  /** Ends the run after the current step. */
  async pause() {
    this.#isPaused = true;
  }

  /** @param {{rate: number}} args */
  async rate({ rate }) {
    this.#requireLearner().rate(rate);
  }

  /** @param {{source: string, target: string}} args @returns {Promise<AttentionGradient>} */
  async gradient({ source, target }) {
    return this.#module().trainerGradient(this.#trainer, source, target);
  }

  async measure() {
    return this.#requireLearner().measure();
  }

  /** @returns {Promise<Checkpoint>} */
  async save() {
    return this.#requireLearner().save();
  }

  /** @param {{checkpoint: Checkpoint}} args */
  async restore({ checkpoint }) {
    this.#requireLearner().restore(checkpoint);
  }

  async files() {
    return this.#requireLearner().files();
  }

  /** @param {{points: number[], most: number, stop: number}} args */
  async point({ points, most, stop }) {
    return this.#module().pointerRun(this.#trainer, points, most, stop);
  }

  /**
   * @param {'translate' | 'trace' | 'score'} method
   * @param {any} args
   * @param {Call} call
   */
  async ask(method, args, call) {
    this.#answering++;
    try {
      return await this.#engine[method]({ ...args, model: this.#trainer }, call);
    } finally {
      this.#answering--;
    }
  }

  async memory() {
    return this.#engine.memory();
  }

  #requireLearner() {
    if (!this.#learner) throw new Error('nothing has been created');
    return this.#learner;
  }

  #module() {
    if (!this.#wasm) throw new Error('the engine has not been started');
    return this.#wasm;
  }
}

/** This engine has no loader of models, because it only runs the model that it trains. @returns {Promise<number>} */
const loadsNothing = () => Promise.reject(new QkvError('UNSUPPORTED', 'the engine that trains loads no models'));

const kDiverged =
  'the loss is not a finite number, and the step did not change the weights: continue with a lower learning rate, or from a checkpoint';

/**
 * @returns {Record<string, import('../worker/protocol.js').Handler>}
 */
export function createHandlers() {
  const engine = new TrainEngine();
  return {
    create: (args) => engine.create(args),
    createPointer: (args) => engine.createPointer(args),
    train: (args, call) => engine.train(args, call),
    pause: () => engine.pause(),
    rate: (args) => engine.rate(args),
    gradient: (args) => engine.gradient(args),
    measure: () => engine.measure(),
    save: () => engine.save(),
    restore: (args) => engine.restore(args),
    files: () => engine.files(),
    point: (args) => engine.point(args),
    translate: (args, call) => engine.ask('translate', args, call),
    trace: (args, call) => engine.ask('trace', args, call),
    score: (args, call) => engine.ask('score', args, call),
    memory: () => engine.memory(),
  };
}

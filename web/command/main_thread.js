// The main thread of the command: while another thread runs WebAssembly, it hears signals and reads the input. Here are both
// sides of it.
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { workerData } from 'node:worker_threads';
import { Channel } from './channel.js';
import { readInput } from './input.js';
import { startThread } from './threads.js';

/** Places in the memory that both threads have: whether the command works on a batch, and the signal that came meanwhile. */
const kInBatch = 0;
const kSignal = 1;

/** How many chunks of the input are read before the command asks for them. */
const kAhead = 4;

/** How long a thread may take to end, in ms: it does not while it writes to a pipe that nobody reads. */
const kPatience = 500;

/** The side of the thread that runs the command. */
export class MainThread {
  constructor() {
    this.channel = Channel.given(workerData.channel);
    this.state = /** @type {Int32Array} */ (workerData.state);
  }

  /** @param {string | null} unfinished a file to remove when a signal ends the process at once; null: a batch is finished first */
  hearSignals(unfinished) {
    this.channel.send({ hear: unfinished });
    this.channel.receive(); // from now on they are heard
  }

  setInBatch(/** @type {number} */ now) {
    Atomics.store(this.state, kInBatch, now);
  }

  pendingSignal() {
    return Atomics.load(this.state, kSignal);
  }

  openInput(/** @type {string} */ path) {
    this.channel.send({ open: path });
    for (let i = 0; i < kAhead; ++i) this.channel.send({ read: true });
  }

  /** Waits for the next bytes; there are none at the end. @returns {{bytes: Uint8Array, share: number, error?: NodeJS.ErrnoException}} */
  nextInput() {
    const message = this.channel.receive();
    this.channel.send({ read: true });
    return message;
  }

  inputReady() {
    return this.channel.arrived();
  }

  /** Ends this thread, and the process unless the pages are served. @param {number} status @param {{port: number, host: string}} [serve] */
  end(status, serve) {
    this.channel.send({ status, serve });
    for (;;) this.channel.receive();
  }
}

/**
 * Starts the command in a thread, and does what it asks for.
 * @returns {Promise<{status: number, serve?: {port: number, host: string}}>}
 */
export function runInThread() {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const { worker, channel } = startThread('command', { state });

  let ended = 1; // the exit code if the thread ends without saying one
  /** @param {NodeJS.Signals} signal */
  const endBy = (signal) => {
    ended = 128 + constants.signals[signal];
    worker.terminate();
    setTimeout(() => {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }, kPatience);
  };
  /** @param {NodeJS.Signals} signal @param {string | null} unfinished */
  const onSignal = (signal, unfinished) => {
    const finishes = unfinished === null && Atomics.load(state, kInBatch) === 1;
    // A second signal finds the first one there.
    if (finishes && Atomics.compareExchange(state, kSignal, 0, constants.signals[signal]) === 0) return;
    if (unfinished) rmSync(unfinished, { force: true });
    endBy(signal);
  };
  const hear = (/** @type {string | null} */ unfinished) => {
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
      process.on(signal, () => onSignal(signal, unfinished));
    channel.send({});
  };

  /** @type {ReturnType<typeof readInput>} */
  let input;
  // Requests are answered in their order, since an iterator finishes its calls in their order.
  const read = async () => {
    try {
      const { value = { bytes: new Uint8Array(0), share: 0 } } = await input.next();
      channel.send(value, [value.bytes.buffer]);
    } catch (error) {
      const { code, message, syscall } = /** @type {NodeJS.ErrnoException} */ (error);
      channel.send({ error: { code, message, syscall } });
    }
  };

  return new Promise((resolve, reject) => {
    channel.port.on('message', ({ hear: unfinished, open, read: more, status, serve }) => {
      if (unfinished !== undefined) hear(unfinished);
      if (open !== undefined) input = readInput(open);
      if (more) read();
      if (status !== undefined) resolve(worker.terminate().then(() => ({ status, serve })));
    });
    worker.on('error', reject);
    worker.on('exit', () => resolve({ status: ended }));
  });
}

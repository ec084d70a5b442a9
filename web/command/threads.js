// The threads of the command: messages of bytes between the main thread and workers that run the command once more. Both
// sides wait for a message without their event loop, since WebAssembly does not return to it.
import { availableParallelism } from 'node:os';
import { MessageChannel, Worker, isMainThread, receiveMessageOnPort, workerData } from 'node:worker_threads';

/** One end of a channel between two threads. */
class Channel {
  /**
   * @param {import('node:worker_threads').MessagePort} port
   * @param {Int32Array} sent how many messages each end has sent, in shared memory; the other end waits for it
   * @param {0 | 1} own this end's place in `sent`
   */
  constructor(port, sent, own) {
    this.port = port;
    this.sent = sent;
    this.own = own;
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes which go over to the other thread */
  send(bytes) {
    this.port.postMessage(bytes, [bytes.buffer]);
    Atomics.add(this.sent, this.own, 1);
    Atomics.notify(this.sent, this.own);
  }

  /** The next message; waits for it. @returns {Uint8Array} */
  receive() {
    for (;;) {
      const seen = Atomics.load(this.sent, 1 - this.own);
      const got = receiveMessageOnPort(this.port);
      if (got) return got.message;
      Atomics.wait(this.sent, 1 - this.own, seen);
    }
  }
}

/** By their numbers. A worker has one channel, to the main thread. @type {Channel[]} */
const channels = isMainThread ? [] : [new Channel(workerData.port, workerData.sent, 1)];

/** Starts the command in another thread, which ends with this one. */
function startWorker() {
  const { port1, port2 } = new MessageChannel();
  const sent = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL('./qkv.js', import.meta.url), {
    argv: process.argv.slice(2),
    workerData: { port: port2, sent },
    transferList: [port2],
    // Otherwise Node would make standard output not block, because a worker might write by process.stdout.
    ...{ stdout: true, stderr: true },
  });
  worker.unref();
  return new Channel(port1, sent, 0);
}

export const threads = {
  processors: availableParallelism(),
  isWorker: !isMainThread,

  /** Sends a message; the first one to a worker starts it. @param {number} to @param {Uint8Array<ArrayBuffer>} bytes */
  send(to, bytes) {
    (channels[to] ??= startWorker()).send(bytes);
  },

  /** Waits for a message; an empty one says that the worker has failed. @param {number} from */
  receive: (from) => channels[from].receive(),
};

// The threads that translate lines beside the command's: workers that run the command once more, with channels of bytes.
import { availableParallelism } from 'node:os';
import { Worker, workerData } from 'node:worker_threads';
import { Channel } from './channel.js';

const isWorker = workerData?.role === 'lines';

/** By their numbers. A worker has one channel, to the thread of the command. @type {Channel[]} */
const channels = isWorker ? [Channel.given(workerData.channel)] : [];

/**
 * Starts this program in another thread, which ends with this one.
 * @param {'command' | 'lines'} role
 * @param {Record<string, any>} data besides the channel
 */
export function startThread(role, data = {}) {
  const { own, other } = Channel.pair();
  const worker = new Worker(new URL('./qkv.js', import.meta.url), {
    argv: process.argv.slice(2),
    workerData: { ...data, role, channel: other },
    transferList: [other.port],
    // Otherwise Node would make standard output not block, because a worker might write by process.stdout.
    ...{ stdout: true, stderr: true },
  });
  return { worker, channel: own };
}

function startLines() {
  const { worker, channel } = startThread('lines');
  worker.unref();
  return channel;
}

export const threads = {
  processors: availableParallelism(),
  isWorker,

  /** Sends a message; the first one to a worker starts it. @param {number} to @param {Uint8Array<ArrayBuffer>} bytes */
  send(to, bytes) {
    (channels[to] ??= startLines()).send(bytes, [bytes.buffer]);
  },

  /** Waits for a message; an empty one says that the worker has failed. @param {number} from @returns {Uint8Array} */
  receive: (from) => channels[from].receive(),
};

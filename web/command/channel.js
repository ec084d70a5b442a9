// Messages between two threads. WebAssembly does not return to the event loop, so a thread that runs it waits for a message
// in shared memory.
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

/** One end of a channel. */
export class Channel {
  /**
   * @param {import('node:worker_threads').MessagePort} port
   * @param {Int32Array} sent how many messages each end has sent, in shared memory; the other end waits for it
   * @param {0 | 1} own this end's place in `sent`
   */
  constructor(port, sent, own) {
    this.port = port;
    this.sent = sent;
    this.own = own;
    /** The next message, where it has been taken from the port already. @type {any} */
    this.next = null;
  }

  /** Both ends; the second one is for another thread. */
  static pair() {
    const { port1, port2 } = new MessageChannel();
    const sent = new Int32Array(new SharedArrayBuffer(8));
    return { own: new Channel(port1, sent, 0), other: { port: port2, sent } };
  }

  /** The end that the first one's thread gave. @param {ReturnType<typeof Channel.pair>['other']} given */
  static given({ port, sent }) {
    return new Channel(port, sent, 1);
  }

  /** @param {any} message @param {ArrayBuffer[]} [transferred] what goes over to the other thread */
  send(message, transferred = []) {
    this.port.postMessage(message, transferred);
    Atomics.add(this.sent, this.own, 1);
    Atomics.notify(this.sent, this.own);
  }

  /** Whether a message is there. */
  arrived() {
    this.next ??= receiveMessageOnPort(this.port)?.message ?? null;
    return this.next !== null;
  }

  /** The next message; waits for it. @returns {any} */
  receive() {
    for (;;) {
      const seen = Atomics.load(this.sent, 1 - this.own);
      if (this.arrived()) break;
      Atomics.wait(this.sent, 1 - this.own, seen);
    }
    const message = this.next;
    this.next = null;
    return message;
  }
}

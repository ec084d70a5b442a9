// A proxy that is as slow as a phone's network. In pages that Playwright does not watch, Chromium's own
// emulation of one does not slow what workers download.

import { createConnection, createServer } from 'node:net';
import { listen } from '../servers.js';

const kSlice = 1 << 14; // bytes that are sent at once

/**
 * @param {number} port of the server behind it, on this machine
 * @param {{latency: number, bytesPerSecond: number}} speed latency: milliseconds from a request to the server; all connections share the
 *   bytes
 * @returns {Promise<{port: number, close: () => Promise<void>}>}
 */
export async function slowNetwork(port, { latency, bytesPerSecond }) {
  /** When all that was sent has arrived. */
  let busyUntil = 0;
  const arrival = (bytes) => {
    busyUntil = Math.max(busyUntil, performance.now()) + (1000 * bytes) / bytesPerSecond;
    return new Promise((arrived) => void setTimeout(arrived, busyUntil - performance.now()));
  };
  const sockets = new Set();
  const proxy = createServer((client) => {
    const server = createConnection(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {}); // its end is heard below
      socket.on('close', () => sockets.delete(socket));
    }
    const send = async (answer) => {
      for (let i = 0; i < answer.length && !client.destroyed; i += kSlice) {
        const slice = answer.subarray(i, i + kSlice);
        await arrival(slice.length);
        client.write(slice);
      }
      server.resume();
    };
    let sending;
    server.on('data', (answer) => {
      server.pause();
      sending = send(answer);
    });
    // The server may close a connection whose last answer is still on its way.
    server.on('close', () => void Promise.resolve(sending).then(() => client.end()));
    client.on('data', (request) => setTimeout(() => server.write(request), latency));
    client.on('close', () => server.destroy());
  });
  const listener = await listen(proxy);
  const close = () => (sockets.forEach((socket) => socket.destroy()), listener.close());
  return { port: listener.port, close };
}

// Servers of tests: each listens at a port that the system chooses, so that suites side by side do not meet.

import { createServer } from 'node:net';

/**
 * Listens at a free port of this machine.
 *
 * @param {import('node:net').Server} server an HTTP server or a TCP server
 * @returns {Promise<{ port: number, close: () => Promise<unknown> }>} the port, and a function that stops the server. It also
 *   closes all open connections if the server is an HTTP server
 */
export async function listen(server) {
  await new Promise((listening, failed) => void server.on('error', failed).listen(0, '127.0.0.1', () => listening(0)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () =>
    new Promise((closed) => {
      server.close(closed);
      if ('closeAllConnections' in server) /** @type {import('node:http').Server} */ (server).closeAllConnections();
    });
  return { port, close };
}

/** @returns {Promise<number>} a port that is free now, for a program that is told its port */
export async function freePort() {
  const { port, close } = await listen(createServer());
  await close();
  return port;
}

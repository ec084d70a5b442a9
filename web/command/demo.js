// `qkv serve`: the demo's pages on this machine. They are a package of their own, qkv-demo, since they are a hundred times as
// large as the command.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname, networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { serve } from '../tools/serve.mjs';

const kPort = 8080;

/**
 * The folder of an installed package, as a module in `from` finds it, or null.
 * @param {string} name
 * @param {string} from a file
 */
function packageFolder(name, from) {
  try {
    return dirname(createRequire(from).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

/** The models that the pages take from packages of their own: their folders by the paths that they are served under. @param {string} demo */
function modelFolders(demo) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(demo, 'package.json'), 'utf8'));
  const found = Object.keys(dependencies).map((name) => [
    `models/${name.replace(/^qkv-/, '')}/`,
    packageFolder(name, join(demo, 'package.json')),
  ]);
  return Object.fromEntries(found.filter(([, folder]) => folder !== null));
}

/** The names and addresses of this machine, as a Host header has them. */
const ownNames = () => [
  hostname(),
  ...Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
  ),
];

/** Why a server does not start. @param {NodeJS.ErrnoException} error @param {number} port @param {string} host */
function reason(error, port, host) {
  if (error.code === 'EADDRINUSE') return `port ${port} is taken: give another one by --port`;
  if (error.code === 'EACCES') return `port ${port} is not for every user: give one above 1023 by --port`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') return `${host} is no address of this machine`;
  return `the server does not start: ${error.message}`;
}

/**
 * Serves the pages until the process ends.
 * @param {{port: number, host: string}} options port 0: 8080, or any one if that is taken
 * @returns {Promise<number>} the exit code; 0 once the server runs
 */
export async function serveDemo({ port, host }) {
  // The pages are installed in the folder of the caller, or beside this package.
  const demo = packageFolder('qkv-demo', join(process.cwd(), 'x.js')) ?? packageFolder('qkv-demo', import.meta.url);
  if (demo === null) {
    console.error('qkv: the pages are a package of their own: npm install qkv-demo');
    return 1;
  }
  // Only this machine reaches the pages, unless the user names a host. The models are served with them.
  const isLocal = host === 'localhost';
  const how = {
    address: isLocal ? '127.0.0.1' : host,
    hosts: isLocal ? [] : [host, ...ownNames()],
    also: modelFolders(demo),
  };
  // If the user names no port and the usual one is taken, any free port serves.
  const start = (/** @type {number} */ at) => serve(demo, { ...how, port: at });
  try {
    const { url } = await start(port || kPort).catch((error) => {
      if (port !== 0 || error.code !== 'EADDRINUSE') throw error;
      return start(0);
    });
    console.log(`The pages are at ${url} (Ctrl+C ends it)`);
    return 0;
  } catch (error) {
    console.error(`qkv: ${reason(/** @type {NodeJS.ErrnoException} */ (error), port || kPort, host)}`);
    return 1;
  }
}

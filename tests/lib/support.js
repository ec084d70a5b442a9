// Shared by the library's tests: the real engine, the goldens, a server that misbehaves on request.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Translator } from '../../web/lib/index.js';
import { listen } from '../servers.js';

export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const readJson = (path) => JSON.parse(readFileSync(at(path), 'utf8'));

/** English to French, in this thread by default. */
export const create = (options = {}) => Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', ...options });

/** The float model that the default model was made from. */
export const floatFolder = at('tests/goldens/en-fr');

/** A small random model: its words mean nothing, its files are good. */
export const tinyFolder = at('tests/goldens/models/tiny-f32');

/** The rejection of a promise that must reject. */
export const rejection = (promise) =>
  promise.then(
    (value) => {
      throw new Error(`resolved with ${value}`);
    },
    (error) => error,
  );

/**
 * Serves a folder at `url`. `answer(name, response)` may answer instead, and returns true when it did.
 * @param {string} folder
 * @param {(name: string, response: import('node:http').ServerResponse) => boolean | void} [answer]
 */
export async function serveFolder(folder, answer = () => false) {
  const requests = [];
  const server = createServer((request, response) => {
    const name = request.url.split('/').at(-1);
    requests.push(name);
    if (answer(name, response)) return;
    try {
      const bytes = readFileSync(`${folder}/${name}`);
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
    } catch {
      response.writeHead(404).end('nothing here');
    }
  });
  const { port, close } = await listen(server);
  return { url: `http://127.0.0.1:${port}/model/`, requests, close };
}

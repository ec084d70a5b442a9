// A proxy server. Each page that it serves records its own errors from the first line on. It is for browsers whose driver does
// not report the console.

import { createServer, request as ask } from 'node:http';
import { listen } from '../servers.js';

/** Runs in the page before any other script. */
function watch() {
  globalThis.complaints = [];
  const note = (what) => globalThis.complaints.push(String(what));
  addEventListener('error', (event) => note(event.message));
  addEventListener('unhandledrejection', (event) => note(event.reason));
  document.addEventListener('securitypolicyviolation', (event) =>
    note(`CSP: ${event.violatedDirective} ${event.blockedURI}`),
  );
  const { error } = console;
  console.error = (...what) => {
    note(what.join(' '));
    error.apply(console, what);
  };
}

const kScript = 'complaints.js';
const kEmptyPage = '<!doctype html><html lang="en"><head><title>A page</title></head><body></body></html>';
const withScript = (html) => html.replace('<head>', `<head><script src="${kScript}"></script>`);

/**
 * Serves what `url` serves, and `empty.html`, an empty page.
 * @param {string} url of the other server, with a path that ends in '/'
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function watched(url) {
  const { origin, pathname } = new URL(url);
  const send = (response, type, text) => response.writeHead(200, { 'content-type': type }).end(text);
  const server = createServer((request, response) => {
    if (request.url.endsWith(`/${kScript}`)) return send(response, 'text/javascript', `(${watch})();`);
    if (request.url.endsWith('/empty.html')) return send(response, 'text/html', withScript(kEmptyPage));
    const { host: _, ...headers } = { ...request.headers, 'accept-encoding': 'identity' }; // so that the script can be put in
    const asked = ask(origin + request.url, { method: request.method, headers }, async (answer) => {
      if (!answer.headers['content-type']?.startsWith('text/html')) {
        return answer.pipe(response.writeHead(answer.statusCode, answer.headers));
      }
      const { 'content-length': __, ...kept } = answer.headers;
      response.writeHead(answer.statusCode, kept).end(withScript(Buffer.concat(await answer.toArray()).toString()));
    });
    asked.on('error', () => response.destroy()).end();
  });
  const { port, close } = await listen(server);
  return { url: `http://localhost:${port}${pathname}`, close };
}

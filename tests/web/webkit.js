// Opens WebKitGTK, the engine of Safari, with the built pages. It is controlled over HTTP by WebDriver
// (https://www.w3.org/TR/webdriver2/). The browser needs a display; Xvfb is a display without a screen.

import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../../web/tools/serve.mjs';
import { freePort } from '../servers.js';
import { built } from './chromium.js';
import { watched } from './watched.js';

const kPatience = 45_000; // ms; the machine may be busy with other tests
const kPoll = 50; // ms
const kElement = 'element-6066-11e4-a52e-4f735466cecf'; // the standard's key for the id of an element

/** Whether the driver and the display are installed. The project's setup installs them on Debian. */
export const hasWebKit = ['WebKitWebDriver', 'Xvfb'].every((program) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  }),
);

/** A program that ends when this process ends. @param {string} name @param {string[]} flags @param {object} options */
function start(name, flags, options) {
  const child = spawn(name, flags, options);
  process.once('exit', () => child.kill());
  return child;
}

/** Starts a display. Xvfb writes the number of the display to file descriptor 3. */
async function openDisplay() {
  const flags = ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'];
  const xvfb = start('Xvfb', flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const number = await new Promise((known, failed) => {
    xvfb.on('error', failed).on('exit', () => failed(new Error('Xvfb ended before it opened a display')));
    xvfb.stdio[3].once('data', (bytes) => known(String(bytes).trim()));
  });
  return { xvfb, name: `:${number}` };
}

/** Sends a command to the driver. Returns the value of its answer, or throws its message. */
async function command(url, method, body) {
  const answer = await fetch(url, { method, body: body && JSON.stringify(body) });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`);
  return value;
}

/** Starts a driver and opens a session. @param {string} display */
async function openSession(display) {
  const port = await freePort();
  const driver = start('WebKitWebDriver', [`--port=${port}`], {
    env: { ...process.env, DISPLAY: display, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1' },
    stdio: 'ignore',
  });
  const root = `http://127.0.0.1:${port}`;
  const isReady = () => command(`${root}/status`, 'GET').then(Boolean, () => false);
  for (const end = Date.now() + kPatience; !(await isReady()); await sleep(kPoll)) {
    if (Date.now() > end || driver.exitCode !== null) throw new Error('WebKitWebDriver does not answer');
  }
  const capabilities = { alwaysMatch: { timeouts: { script: kPatience, pageLoad: kPatience } } };
  const { sessionId } = await command(`${root}/session`, 'POST', { capabilities });
  return { driver, url: `${root}/session/${sessionId}` };
}

/**
 * Opens a browser with one window, and serves a folder, by default the pages.
 * @param {string} [folder]
 * @param {import('../../web/tools/serve.mjs').ServeOptions} [options]
 */
export async function openWebKit(folder = built.site, options = {}) {
  const server = await serve(folder, options);
  const front = await watched(server.url);
  const display = await openDisplay();
  const { driver, url } = await openSession(display.name);
  const send = (method, path, body) => command(url + path, method, body);
  const find = async (selector) =>
    (await send('POST', '/element', { using: 'css selector', value: selector }))[kElement];

  const page = {
    /** Calls a function in the page with values that JSON can hold; it may return a promise. */
    async evaluate(use, ...values) {
      const script = `const done = arguments[1];
        Promise.resolve(arguments[0]).then((values) => (${use})(...values))
          .then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const { value, error } = await send('POST', '/execute/async', { script, args: [values] });
      if (error !== undefined) throw new Error(error);
      return value;
    },
    /** Waits until a function returns a true value in the page. */
    async waitFor(use, ...values) {
      for (const end = Date.now() + kPatience; Date.now() < end; await sleep(kPoll)) {
        const value = await page.evaluate(use, ...values);
        if (value) return value;
      }
      throw new Error(`still not so: ${use}`);
    },
    text: (selector) => page.evaluate((which) => document.querySelector(which).textContent, selector),
    click: async (selector) => send('POST', `/element/${await find(selector)}/click`, {}),
    /** Clicks at a point in window coordinates, by an event without a pointer. */
    clickAt: (point) =>
      page.evaluate(({ x, y }) => {
        const event = new MouseEvent('click', { clientX: x, clientY: y, bubbles: true });
        document.elementFromPoint(x, y).dispatchEvent(event);
      }, point),
    type: async (selector, text) => send('POST', `/element/${await find(selector)}/value`, { text }),
    clear: async (selector) => send('POST', `/element/${await find(selector)}/clear`, {}),
    /** Moves the mouse to a place in the window. @param {number} x @param {number} y */
    point: (x, y) =>
      send('POST', '/actions', {
        actions: [{ type: 'pointer', id: 'mouse', actions: [{ type: 'pointerMove', x, y, duration: 0 }] }],
      }),
    /** What is painted of an element, as PNG in base64. @param {string} selector @returns {Promise<string>} */
    screenshot: async (selector) => send('GET', `/element/${await find(selector)}/screenshot`),
    /** Errors on the console, uncaught errors, and violations of the policy. */
    complaints: () => page.evaluate(() => globalThis.complaints),
  };

  /** Loads a page in the window, replacing the previous one. @param {string} [path] with its query, or a URL */
  async function open(path = '') {
    await send('POST', '/url', { url: 'about:blank' }); // so that the page is loaded again if only the fragment differs
    await send('POST', '/url', { url: new URL(path, front.url).href });
    return page;
  }

  async function close() {
    await send('DELETE', '').catch(() => {});
    driver.kill();
    display.xvfb.kill();
    await front.close();
    await server.close();
  }

  return { open, close, url: front.url };
}

// Runs one row of the matrix: a fresh project with the packages as `npm pack` makes them, built, and used in Chromium
// or in a process.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { at } from '../../web/tools/common.mjs';
import { serve } from '../../web/tools/serve.mjs';
import { folderOf } from './projects.mjs';

/** The text that every project translates, and the result. */
export const kTranslation = "Je t'aime.";

/** Milliseconds that a command or a page may take on a loaded machine. */
const kLongest = 300_000;

/**
 * Runs a shell command in a folder, with the programs of its packages on the PATH.
 * @returns {Promise<{code: number, output: string}>}
 */
export function shell(command, folder) {
  const PATH = [join(folder, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, NO_COLOR: '1', CI: '1', NEXT_TELEMETRY_DISABLED: '1', NG_CLI_ANALYTICS: 'false' };
  const options = { cwd: folder, env, timeout: kLongest, maxBuffer: 64 << 20 };
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], options, (error, stdout, stderr) => {
      resolve({
        code: error ? (typeof error.code === 'number' ? error.code : 1) : 0,
        output: (stdout + stderr).trim(),
      });
    });
  });
}

/** Like `shell`, but throws with the end of the command's output if it fails. */
async function must(command, folder) {
  const { code, output } = await shell(command, folder);
  if (code !== 0) throw new Error(`${command} failed: ${output.slice(-2000)}`);
  return output;
}

/** @type {Promise<Record<string, string>> | undefined} */
let packed;

/** The packages' tarballs by name. */
export function tarballs() {
  packed ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'qkv-packed-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    await must(`npm pack --silent ${at('dist')} ${at('web/models/en-fr')}`, folder);
    const named = readdirSync(folder).map((file) => [file.replace(/-\d.*/, ''), join(folder, file)]);
    return Object.fromEntries(named);
  })();
  return packed;
}

/**
 * A project's folder with its packages installed. The row pins the versions of packages from npm's registry.
 * @param {import('./matrix.mjs').Row} row
 * @returns {Promise<string>}
 */
export async function install({ files, dependencies = {}, manifest = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-host-'));
  for (const source of files) cpSync(folderOf(source), folder, { recursive: true });
  const own = await tarballs();
  const hasOthers = Object.keys(dependencies).length > 0;
  const all = hasOthers ? { ...dependencies, ...own } : {};
  const written = { name: 'host', private: true, type: 'module', ...manifest, dependencies: all };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(written, null, 2));
  if (hasOthers) {
    await must('npm install --no-audit --no-fund --prefer-offline --loglevel=error', folder);
  } else {
    for (const [name, file] of Object.entries(own)) {
      const to = join(folder, 'node_modules', name);
      mkdirSync(to, { recursive: true });
      await must(`tar -xzf ${file} -C ${to} --strip-components=1`, folder);
    }
  }
  return folder;
}

let browser;

/** @param {string[]} [args] */
export async function openChromium(args = []) {
  browser ??= await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', ...args],
  });
  return browser;
}

export async function closeChromium() {
  await browser?.close();
  browser = undefined;
}

/**
 * The text of a page's first paragraph, and the errors and warnings that the page reports.
 * @param {string} url
 * @returns {Promise<{text: string, complaints: string[]}>}
 */
export async function readPage(url) {
  const context = await (await openChromium()).newContext();
  try {
    const page = await context.newPage();
    const complaints = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    // waitForFunction returns the text. It is not read again: on a busy machine that took longer than a second, and failed.
    const text = await page
      .waitForFunction(() => document.querySelector('p')?.textContent.trim(), null, { timeout: 60_000 })
      .then((written) => written.jsonValue())
      .catch(() => {
        complaints.push('the page wrote nothing');
        return '';
      });
    return { text, complaints };
  } finally {
    await context.close();
  }
}

/**
 * The first paragraph of a folder's page after another text has been typed into its field.
 * @param {string} folder
 * @param {string} typed
 * @param {string} before what it says until then
 */
export async function typeInto(folder, typed, before) {
  const server = await serve(folder);
  const context = await (await openChromium()).newContext();
  try {
    const page = await context.newPage();
    const says = (is) => page.waitForFunction(is, before, { timeout: 60_000 });
    await page.goto(server.url);
    await says((text) => document.querySelector('p')?.textContent === text);
    await page.fill('textarea', typed);
    await says((text) => document.querySelector('p').textContent !== text);
    return await page.textContent('p');
  } finally {
    await context.close();
    await server.close();
  }
}

/**
 * The page of a folder, on a server with or without cross-origin isolation.
 * @param {string} folder
 * @param {import('../../web/tools/serve.mjs').ServeOptions} [options]
 * @param {string} [path]
 */
export async function readFolder(folder, options = {}, path = '') {
  const server = await serve(folder, options);
  try {
    return await readPage(server.url + path);
  } finally {
    await server.close();
  }
}

/** The names of all files of a folder, without hashes. */
export const filesOf = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];

export const read = (...path) => readFileSync(join(...path), 'utf8');

/**
 * @typedef {object} Outcome
 * @property {boolean} isRight
 * @property {string} said where it is not
 */

/**
 * Installs, builds and checks a row.
 * @param {import('./matrix.mjs').Row} row
 * @returns {Promise<Record<string, string>>} what each check found: 'yes', or what went wrong
 */
export async function runRow(row) {
  /** @type {Record<string, string>} */
  const found = {};
  let folder;
  try {
    folder = await install(row);
    for (const [name, check] of Object.entries(row.checks)) {
      found[name] = await check(folder).catch((error) => String(error.message ?? error));
      if (name === 'build' && found[name] !== 'yes') break;
    }
  } catch (error) {
    found.install = String(/** @type {Error} */ (error).message);
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
  return found;
}

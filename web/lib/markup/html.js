// Parses HTML: with the browser's parser, otherwise with htmlparser2, which the caller gives or has installed.
import { invalid } from '../base/arguments.js';
import { modules } from '../base/runtime.js';
import { wasmUrls } from '../engine/assets.js';
import { trustedHtml } from '../worker/start-worker.js';
import { readTree, writeTree } from './tree.js';

/** @typedef {{root: Node, write: () => string}} Parsed `write` returns the current HTML */

/**
 * Parses HTML into a tree outside of any page: no script runs, and nothing is loaded.
 * @param {string} html
 * @param {any} [parser] the module htmlparser2; if given, it is used even in a browser
 * @returns {Promise<Parsed>} rejects with a QkvError, code INVALID_ARGUMENT, if there is no parser
 */
export async function parseHtml(html, parser) {
  if (!parser && globalThis.document) return parsedByBrowser(html);
  const found = parser ?? (await installedParser());
  if (typeof found?.Parser !== 'function') {
    throw invalid('parser', "HTML is parsed by a page's DOMParser or by htmlparser2: install it, or give the module");
  }
  const root = readTree(html, found);
  return { root: /** @type {Node} */ (/** @type {unknown} */ (root)), write: () => writeTree(root) };
}

/** @param {string} html @returns {Parsed} */
function parsedByBrowser(html) {
  const isDocument = /^\s*(?:<!--.*?-->\s*)*<(?:!doctype|html|head|body)[\s>]/is.test(html);
  if (isDocument) {
    const page = new globalThis.DOMParser().parseFromString(trustedHtml(html), 'text/html');
    const type = /^\s*(?:<!--.*?-->\s*)*<!doctype[^>]*>\s*/is.exec(html)?.[0] ?? '';
    return { root: page.documentElement, write: () => type + page.documentElement.outerHTML };
  }
  // A template may contain any element, even rows without a table.
  const template = globalThis.document.implementation.createHTMLDocument('').createElement('template');
  template.innerHTML = trustedHtml(html);
  return { root: template.content, write: () => template.innerHTML };
}

/** In Node: the module that is installed beside this package. */
async function installedParser() {
  try {
    return modules()?.createRequire(wasmUrls().baseline)('htmlparser2');
  } catch {
    return undefined;
  }
}

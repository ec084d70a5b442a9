// Markup translated: HTML as a string, and trees of nodes. One chunk, which is fetched with the first of them.
import { described, inputText, invalid, readFields } from '../base/given.js';
import { kCarryOptions } from '../text/keep.js';
import { parseHtml } from './html.js';
import { translateTree } from './translate.js';

const kOptions = ['signal', 'shortlist', 'maxLength', ...kCarryOptions];

/**
 * HTML with its texts translated.
 * @param {import('./translate.js').Aligning} translator
 * @param {string} html
 * @param {object} options
 * @returns {Promise<string>}
 */
export async function translateHtml(translator, html, options) {
  const { parser, format: _format, ...how } = readFields(options, 'translate', ['format', 'parser', ...kOptions]);
  const { root, write } = await parseHtml(inputText(html), parser);
  await translateTree(translator, root, how);
  return write();
}

/**
 * Translates what a node contains, in place.
 * @param {import('./translate.js').Aligning} translator
 * @param {Node} node
 * @param {object} [options]
 */
export async function translateNode(translator, node, options) {
  if (typeof node?.nodeType !== 'number' || ![1, 9, 11].includes(node.nodeType)) {
    throw invalid('node', `expected an element, a document or a fragment, got ${described(node)}`);
  }
  await translateTree(translator, node, readFields(options, 'translateFragment', kOptions));
}

/** What a page without markup does not load. */
export const markup = { translateHtml, translateNode };

// Translates markup: HTML as a string, and trees of nodes. The first such call fetches this module.
import { described, invalid } from '../base/arguments.js';
import { parseHtml } from './html.js';
import { translateTree } from './translate.js';

/**
 * HTML with its texts translated.
 * @param {import('./translate.js').Aligning} translator
 * @param {string} html
 * @param {{signal?: AbortSignal | null, copy?: boolean, prefix?: unknown, split?: boolean}} options
 * @param {any} parser
 * @returns {Promise<string>}
 */
export async function translateHtml(translator, html, { prefix, split, ...how }, parser) {
  if (prefix !== undefined) throw invalid('prefix', 'HTML has many sentences, so it takes no prefix');
  if (split !== undefined) throw invalid('split', 'the sentences of HTML are always found');
  const { root, write } = await parseHtml(html, parser);
  await translateTree(translator, root, how);
  return write();
}

/**
 * Translates the content of a node in place.
 * @param {import('./translate.js').Aligning} translator
 * @param {Node} node
 * @param {{signal?: AbortSignal | null, copy?: boolean}} options
 */
export async function translateNode(translator, node, options) {
  if (typeof node?.nodeType !== 'number' || ![1, 9, 11].includes(node.nodeType)) {
    throw invalid('node', `expected an element, a document or a fragment, got ${described(node)}`);
  }
  await translateTree(translator, node, options);
}

/** The functions that parts.js loads. */
export const markup = { translateHtml, translateNode };

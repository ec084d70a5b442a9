// Translates a tree in place: reads its texts, translates some sentences at a time, and puts them back.
import { pacer } from '../base/runtime.js';
import { splitSentences } from '../text/sentences.js';
import { textsIn } from './blocks.js';
import { contentsOf, fill } from './rebuild.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./blocks.js').Attribute} Attribute */
/** @typedef {import('../text/sentences.js').Part} Part */
/** @typedef {import('../engine/engine.js').AlignedPart} AlignedPart */

/**
 * A Translator, or an object with these parts of it.
 * @typedef {object} Aligning
 * @property {string} sourceLanguage
 * @property {{maxLength: number, copy: string}} info
 * @property {(parts: Part[], options: any) => Promise<AlignedPart[]>} translateAligned
 */

/** UTF-16 units that are translated in one call: enough for full batches, and few enough for a short call. */
const kAtOnce = 4000;

/**
 * The sentences of a block. A word that stays does not end a sentence, whatever its characters are.
 * @param {Block | Attribute} block
 * @param {Aligning} translator
 * @returns {Part[]}
 */
export function partsOf(block, { sourceLanguage, info }) {
  const { text } = block;
  const kept = 'items' in block ? block.items.filter(({ kind }) => kind === 'kept') : [];
  // Hide the words that stay: letters in their place end no sentence.
  let hidden = '';
  for (const { begin, end } of kept) {
    hidden += text.slice(hidden.length, begin) + 'I'.repeat(end - begin);
  }
  hidden += text.slice(hidden.length);
  // Split the text there, and name the words that stay in each sentence.
  const longest = Math.max(info.maxLength - 2, 2);
  let from = 0;
  return splitSentences(hidden, sourceLanguage, longest).map(({ text: { length }, sentence }) => {
    const [begin, end] = [from, (from += length)];
    /** @type {[number, number][]} */
    const own = kept
      .filter((item) => item.begin >= begin && item.end <= end)
      .map((item) => [item.begin - begin, item.end - begin]);
    return { text: text.slice(begin, end), sentence, ...(own.length && { kept: own }) };
  });
}

/**
 * Replaces a text by its translation.
 * @param {Block | Attribute} block
 * @param {AlignedPart[]} parts
 */
export function put(block, parts) {
  if ('items' in block) {
    for (const { node, data } of block.texts) keepValue(node, data);
    for (const content of contentsOf(block, parts)) fill(content);
  } else {
    block.element.setAttribute(block.name, parts.map(({ translation }) => translation).join(''));
  }
}

/**
 * Gives an option without a value its former text as the value. A form sends the text of an option without a value, and
 * the translation must not change what a form sends.
 * @param {Text} node
 * @param {string} data
 */
export function keepValue(node, data) {
  const option = /** @type {Element | null} */ (node.parentNode);
  if (option?.localName !== 'option' || option.hasAttribute('value')) return;
  option.setAttribute('value', data.trim().replace(/\s+/g, ' '));
}

/**
 * Translates all texts of a tree.
 * @param {Aligning} translator
 * @param {Node} root
 * @param {{signal?: AbortSignal | null, copy?: boolean}} [options] the options of `translate`
 * @param {import('./blocks.js').TreeOptions} [reading]
 */
export async function translateTree(translator, root, options = {}, reading = {}) {
  const pace = pacer();
  const keeps = options.copy !== false && translator.info.copy !== 'none';
  /** @type {(Block | Attribute)[]} */
  let blocks = [];
  let size = 0;
  // The whole tree is read before anything is written, because writing changes the tree.
  const all = [];
  for (const block of textsIn(root, {
    language: translator.sourceLanguage.split('-')[0].toLowerCase(),
    keeps,
    ...reading,
  })) {
    all.push(block);
    await pace();
  }
  // Translate some blocks at a time.
  for (const block of all) {
    blocks.push(block);
    size += block.text.length;
    if (size < kAtOnce) continue;
    await translateBlocks(translator, blocks, options, pace);
    [blocks, size] = [[], 0];
  }
  if (blocks.length) await translateBlocks(translator, blocks, options, pace);
}

/**
 * @param {Aligning} translator
 * @param {(Block | Attribute)[]} blocks
 * @param {object} options
 * @param {() => Promise<void>} pace
 */
async function translateBlocks(translator, blocks, options, pace) {
  const lists = blocks.map((block) => partsOf(block, translator));
  const done = await translator.translateAligned(lists.flat(), options);
  let from = 0;
  for (const [i, block] of blocks.entries()) {
    put(block, done.slice(from, (from += lists[i].length)));
    await pace();
  }
}

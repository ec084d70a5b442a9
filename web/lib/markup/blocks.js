// Finds the texts of a tree. A block is a row of sibling nodes that make up one text, with a list of the elements in it and
// their places. Trees may be deep, so no function here is recursive.
import { wellFormed } from '../base/well-formed.js';
import { attributesOf, forbidsTranslation, isUntouched, kindOf, requestsTranslation } from './elements.js';

/**
 * A part of a text that is not text itself. `element`: its text is part of the block's text. `kept`: a word that stays as it
 * is. `mark`: it has a place but no text, such as a line break.
 * @typedef {object} Item
 * @property {'element' | 'kept' | 'mark'} kind
 * @property {Node | null} node null for the line end between two links of a menu
 * @property {number} begin in the block's text
 * @property {number} end
 * @property {number} parent the item that it is in; -1: none
 */
/** @typedef {{node: Text, data: string, begin: number, parent: number}} TextItem a text node and its text */

/**
 * @typedef {object} Block
 * @property {Node} parent
 * @property {Node} first
 * @property {Node} last a sibling of `first`, or `first` itself
 * @property {string} text the text to translate; white space is a space, a break '\n'
 * @property {string} raw the same with the white space of the source
 * @property {Item[]} items in document order
 * @property {TextItem[]} texts
 */

/** @typedef {{element: Element, name: string, text: string}} Attribute */

/**
 * @typedef {object} TreeOptions
 * @property {(element: Element) => string} [displayOf] an element's `display`, if there is a page with styles
 * @property {boolean} [translate] false: an element around the tree forbids its translation
 * @property {(node: Node) => boolean} [opens] false: the content of this element is not read
 * @property {string} [language] an element whose `lang` is another language stays as it is
 * @property {boolean} [attributes] false: attributes stay
 * @property {boolean} [keeps] false: the model cannot carry words through, so it does not read words that stay
 */

/** A block with more items than this is not a sentence. Each of its texts is then translated by itself. */
const kMostItems = 500;
/** The model reads at most so many characters of a word that stays. */
const kLongestKept = 60;

const kElement = 1;
const kText = 3;
const kLetter = /\p{L}/u;
const kBetweenLinks = /^[\s|/·•›»→-]*$/;
const kWhite = /[\t\n\f\r]/g;

/**
 * The node after `node` in document order, not inside it, and not outside `root`; null: none.
 * @param {Node} node
 * @param {Node} root
 * @returns {Node | null}
 */
function after(node, root) {
  /** @type {Node | null} */
  let at = node;
  while (at && at !== root && !at.nextSibling) at = at.parentNode;
  return at && at !== root ? at.nextSibling : null;
}

/**
 * The blocks and the attributes of a tree, in document order.
 * @param {Node} root
 * @param {TreeOptions} [options]
 * @returns {Generator<Block | Attribute, void>}
 */
export function* textsIn(root, options = {}) {
  const reader = new Reader(options);
  /** Containers to read, the next one last; false: their text stays. @type {{node: Node, translate: boolean}[]} */
  const open = [{ node: root, translate: reader.translates(root, options.translate) }];
  for (let container = open.pop(); container; container = open.pop()) {
    const { node, translate } = container;
    if (options.opens?.(node) === false) continue;
    // Children that follow each other and are inline make one block. Other children are containers themselves.
    /** @type {{node: Node, translate: boolean}[]} */
    const inside = [];
    if (node.nodeType === kElement && translate && options.attributes !== false) yield* attributes(node);
    let first = null;
    let last = null;
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (translate && reader.isInline(child)) {
        first ??= child;
        last = child;
        continue;
      }
      if (first && last) yield* reader.read(first, last, inside);
      first = null;
      if (child.nodeType === kElement && !isUntouched(/** @type {Element} */ (child))) {
        inside.push({ node: child, translate: reader.translates(child, translate) });
      }
    }
    if (first && last) yield* reader.read(first, last, inside);
    for (let i = inside.length; i-- > 0;) open.push(inside[i]);
  }
}

/** @param {Node} node @returns {Generator<Attribute, void>} */
function* attributes(node) {
  const element = /** @type {Element} */ (node);
  for (const name of attributesOf(element)) yield { element, name, text: element.getAttribute(name) ?? '' };
}

class Reader {
  #options;
  /** Inline elements with a block inside. They separate texts as a block does. @type {Set<Node>} */
  #withBlock = new Set();
  /** Inline elements without a block inside. @type {Set<Node>} */
  #withoutBlock = new Set();

  /** @param {TreeOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /**
   * Whether the text in a container is translated.
   * @param {Node} node
   * @param {boolean} [outside] whether the text around it is translated
   */
  translates(node, outside = true) {
    if (node.nodeType !== kElement) return outside;
    const element = /** @type {Element} */ (node);
    if (!outside) return requestsTranslation(element);
    return !forbidsTranslation(element) && !this.#isForeign(element);
  }

  /** @param {Element} element */
  #isForeign(element) {
    const { language } = this.#options;
    const own = language && element.getAttribute('lang');
    return Boolean(own && own.toLowerCase().split('-')[0] !== language && !/^(html|body)$/.test(element.localName));
  }

  /** @param {Node} node */
  #kind(node) {
    const element = /** @type {Element} */ (node);
    const kind = kindOf(element, this.#options.displayOf);
    return kind === 'inline' && this.#isForeign(element) ? 'kept' : kind;
  }

  /** Whether a node and its siblings make up one text. @param {Node} node */
  isInline(node) {
    if (node.nodeType !== kElement) return true;
    const kind = this.#kind(node);
    if (kind !== 'inline') return kind !== 'block';
    if (!this.#withoutBlock.has(node) && !this.#withBlock.has(node)) this.#search(node);
    return !this.#withBlock.has(node);
  }

  /** Searches for a block inside an inline element. @param {Node} root */
  #search(root) {
    for (let node = /** @type {Node | null} */ (root.firstChild); node;) {
      const kind = node.nodeType === kElement ? this.#kind(node) : 'inline';
      if (kind === 'block' || this.#withBlock.has(node)) {
        for (let at = node.parentNode; at && at !== root.parentNode; at = at.parentNode) this.#withBlock.add(at);
        return;
      }
      const isOpen = kind === 'inline' && !this.#withoutBlock.has(node);
      node = (isOpen && node.firstChild) || after(node, root);
    }
    this.#withoutBlock.add(root);
  }

  /**
   * The block of some siblings, if there is something to translate in it, and the attributes in it.
   * @param {Node} first
   * @param {Node} last
   * @param {{node: Node, translate: boolean}[]} inside receives the elements in it that have texts of their own
   * @returns {Generator<Block | Attribute, void>}
   */
  *read(first, last, inside) {
    const parent = /** @type {Node} */ (first.parentNode);
    const block = new BlockReader(parent, first, last, this.#options.keeps !== false);
    for (let node = /** @type {Node | null} */ (first); node; node = block.next(node)) {
      if (node.nodeType === kText) block.addText(/** @type {Text} */ (node));
      else if (node.nodeType !== kElement) block.addMark(node);
      else {
        const element = /** @type {Element} */ (node);
        const kind = this.#kind(element);
        const isOwn = kind === 'inline' || kind === 'break';
        if (isOwn && this.#options.attributes !== false) yield* attributes(element);
        else if (!isOwn && !isUntouched(element)) inside.push({ node, translate: this.translates(element) });
        block.addElement(element, kind);
      }
    }
    if (!block.hasLetters()) return;
    if (block.items.length <= kMostItems) yield block.result();
    else yield* block.single();
  }
}

/** Reads the nodes of one block, in order. */
class BlockReader {
  /** @type {Item[]} */
  items = [];
  #parent;
  #first;
  #last;
  #keeps;
  #text = '';
  #raw = '';
  /** @type {TextItem[]} */
  #texts = [];
  /** The elements that are open, each with the number of texts before it. @type {{index: number, texts: number}[]} */
  #open = [];
  /** Links that have ended. @type {Item[]} */
  #links = [];
  /** The last element that was opened, until its first child is read. @type {Node | null} */
  #opened = null;

  /** @param {Node} parent @param {Node} first @param {Node} last @param {boolean} keeps */
  constructor(parent, first, last, keeps) {
    this.#keeps = keeps;
    this.#parent = parent;
    this.#first = first;
    this.#last = last;
  }

  get #inside() {
    return this.#open.at(-1)?.index ?? -1;
  }

  /** @param {Text} node */
  addText(node) {
    const { data } = node;
    this.#texts.push({ node, data, begin: this.#raw.length, parent: this.#inside });
    this.#raw += data;
    this.#text += data.replace(kWhite, ' ');
  }

  /** @param {Node | null} node @param {string} [text] */
  addMark(node, text = '') {
    this.#add('mark', node, text);
  }

  /**
   * @param {Item['kind']} kind
   * @param {Node | null} node
   * @param {string} text
   */
  #add(kind, node, text) {
    const begin = this.#text.length;
    this.items.push({ kind, node, begin, end: begin + text.length, parent: this.#inside });
    this.#text += text;
    this.#raw += text;
  }

  /** @param {Element} element @param {import('./elements.js').Kind} kind */
  addElement(element, kind) {
    if (kind === 'break') return this.addMark(element, '\n');
    if (kind === 'object') return this.addMark(element);
    if (kind === 'kept') {
      const shown = this.#keeps ? shownOf(element) : '';
      return this.#add(shown ? 'kept' : 'mark', element, shown);
    }
    if (element.localName === 'a') this.#separateLinks();
    this.#open.push({ index: this.items.length, texts: this.#texts.length });
    const [begin, parent] = [this.#text.length, this.#open.at(-2)?.index ?? -1];
    this.items.push({ kind: 'element', node: element, begin, end: begin, parent });
    this.#opened = element;
  }

  /** Links side by side, with no other text in their line, are a menu. Each of them is a separate text. */
  #separateLinks() {
    const last = this.#links.at(-1);
    if (!last || !kBetweenLinks.test(this.#text.slice(last.end))) return;
    const line = this.#text.lastIndexOf('\n', last.begin - 1) + 1;
    if (last.begin === 0 || kBetweenLinks.test(this.#text.slice(line, last.begin))) this.addMark(null, '\n');
  }

  /** The node to read after `node`. Elements that end between the two are closed. @param {Node} node @returns {Node | null} */
  next(node) {
    if (this.#opened === node) {
      this.#opened = null;
      if (node.firstChild) return node.firstChild;
      this.#close();
    }
    /** @type {Node | null} */
    let at = node;
    while (at && at !== this.#last && !at.nextSibling) {
      at = at.parentNode;
      if (at === this.#parent) return null;
      this.#close();
    }
    return at === this.#last || !at ? null : at.nextSibling;
  }

  #close() {
    const open = this.#open.pop();
    if (!open || this.items.length > kMostItems) return;
    const item = this.items[open.index];
    const text = this.#text.slice(item.begin);
    // The model does not read the number of a footnote with the word before it.
    const isNote = /^su[bp]$/.test(/** @type {Element} */ (item.node).localName) && !kLetter.test(text);
    item.end = this.#text.length;
    if (/** @type {Element} */ (item.node).localName === 'a') this.#links.push(item);
    // An element without text is only a mark.
    if (/\S/.test(text) && !isNote) return;
    item.kind = 'mark';
    this.items.length = open.index + 1;
    this.#texts.length = open.texts;
    if (!isNote) return;
    this.#text = this.#text.slice(0, item.begin);
    this.#raw = this.#raw.slice(0, item.begin);
    item.end = item.begin;
  }

  /** Whether there is something to translate. */
  hasLetters() {
    return this.#texts.some(({ data }) => kLetter.test(data));
  }

  /** @returns {Block} */
  result() {
    const [parent, first, last] = [this.#parent, this.#first, this.#last];
    return { parent, first, last, text: this.#text, raw: this.#raw, items: this.items, texts: this.#texts };
  }

  /** Each text as a separate block. @returns {Generator<Block, void>} */
  *single() {
    for (const { node, data } of this.#texts) {
      if (!kLetter.test(data) || !node.parentNode) continue;
      const texts = [{ node, data, begin: 0, parent: -1 }];
      const text = data.replace(kWhite, ' ');
      yield { parent: node.parentNode, first: node, last: node, text, raw: data, items: [], texts };
    }
  }
}

/**
 * The text that the model reads for an element that stays.
 * @param {Element} element
 */
function shownOf(element) {
  const text = (element.textContent ?? '').slice(0, 8 * kLongestKept);
  return wellFormed(text.replace(/\s+/g, ' ').trim().slice(0, kLongestKept)).trim();
}

// The translation of one text of a page, and how to undo it: the same nodes are put back in their former order.
import { textsIn } from '../markup/blocks.js';
import { contentsOf, fill } from '../markup/rebuild.js';
import { keepValue } from '../markup/translate.js';

/** @typedef {import('../markup/blocks.js').Block} Block */
/** @typedef {import('../markup/blocks.js').Attribute} Attribute */
/** @typedef {import('../engine/engine.js').AlignedPart} AlignedPart */

/**
 * Changes nodes, then restores the selection and the focus.
 * @param {Node} node
 * @param {() => void} work
 */
export function keepingSelection(node, work) {
  const page = node.ownerDocument;
  const selection = page?.getSelection?.();
  const active = /** @type {HTMLElement | null} */ (page?.activeElement);
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection ?? {};
  work();
  // Restore the selection if it has changed. A text may be shorter now, so offsets are limited.
  const isMoved = selection?.anchorNode !== anchorNode || selection?.anchorOffset !== anchorOffset;
  if (
    selection &&
    anchorNode?.isConnected &&
    focusNode?.isConnected &&
    (isMoved || selection.focusNode !== focusNode)
  ) {
    const within = (/** @type {Node} */ of, /** @type {number} */ offset) =>
      Math.min(offset, of.nodeType === 3 ? /** @type {Text} */ (of).data.length : of.childNodes.length);
    const [anchor, focus] = [within(anchorNode, anchorOffset ?? 0), within(focusNode, focusOffset ?? 0)];
    selection.setBaseAndExtent(anchorNode, anchor, focusNode, focus);
  }
  if (active && page?.activeElement !== active) active.focus({ preventScroll: true });
}

/** A block that was translated. */
export class BlockChange {
  block;
  /** @type {Text[]} */
  #created = [];
  /** @type {{node: Text, was: string, now: string}[]} */
  #texts = [];
  /** The former nodes of each element. @type {{parent: Node, nodes: Node[]}[]} */
  #orders = [];
  /** The options that got a value. @type {Element[]} */
  #withValue = [];

  /** @param {Block} block @param {AlignedPart[]} parts */
  constructor(block, parts) {
    this.block = block;
    const contents = contentsOf(block, parts);
    this.#orders = contents.map(({ parent }) => ({
      parent,
      nodes: parent === block.parent ? rowOf(block) : [...parent.childNodes],
    }));
    const option = /** @type {Element | null} */ (block.parent);
    const hadValue = option?.localName !== 'option' || option.hasAttribute('value');
    for (const { node, data } of block.texts) keepValue(node, data);
    if (option && !hadValue) this.#withValue.push(option);
    this.#created = contents.flatMap((content) => fill(content));
    this.#texts = block.texts.map(({ node, data }) => ({ node, was: data, now: node.data }));
  }

  /** The nodes in which the page may change the text. @returns {Node[]} */
  get nodes() {
    return [...this.#texts.map(({ node }) => node), ...this.#created];
  }

  /** The elements whose children were set. */
  get parents() {
    return this.#orders.map(({ parent }) => parent);
  }

  /** Whether the page has not changed the translation. */
  get isWhole() {
    return (
      this.#texts.every(({ node, now }) => node.data === now && node.isConnected) &&
      this.#created.every((node) => node.isConnected)
    );
  }

  /** Restores the former text, except where the page has changed the translation. */
  undo() {
    for (const node of this.#created) node.remove();
    for (const { node, was, now } of this.#texts) if (node.data === now) node.data = was;
    for (const { parent, nodes } of this.#orders)
      reorder(
        parent,
        nodes.filter((node) => node.parentNode === parent),
      );
    for (const option of this.#withValue) option.removeAttribute('value');
  }
}

/** The siblings of a block. @param {Block} block */
export function rowOf({ first, last }) {
  /** @type {Node[]} */
  const nodes = [first];
  for (let node = first; node !== last && node.nextSibling; nodes.push(node)) node = node.nextSibling;
  return nodes;
}

/** @param {Node} parent @param {Node[]} nodes in their new order */
function reorder(parent, nodes) {
  const isBehind = (/** @type {Node} */ a, /** @type {Node} */ b) => Boolean(a.compareDocumentPosition(b) & 4);
  let last = nodes[0];
  for (const node of nodes) if (isBehind(last, node)) last = node;
  /** @type {Node | null} */
  let next = last?.nextSibling ?? null;
  for (const node of nodes.toReversed()) {
    if (node.nextSibling !== next) parent.insertBefore(node, next);
    next = node;
  }
}

/** An attribute that was translated. */
export class AttributeChange {
  /** @type {Node[]} */
  nodes = [];
  /** @type {Node[]} */
  parents = [];
  attribute;
  #now;

  /** @param {Attribute} attribute @param {AlignedPart[]} parts */
  constructor(attribute, parts) {
    this.attribute = attribute;
    this.#now = parts.map(({ translation }) => translation).join('');
    attribute.element.setAttribute(attribute.name, this.#now);
  }

  get isWhole() {
    return this.attribute.element.getAttribute(this.attribute.name) === this.#now;
  }

  undo() {
    const { element, name, text } = this.attribute;
    if (this.isWhole) element.setAttribute(name, text);
  }
}

/** A block with its translation below it, in a copy of its elements. */
export class BilingualChange {
  block;
  #added;

  /** @param {Block} block @param {AlignedPart[]} parts @param {string} from a language @param {string} to */
  constructor(block, parts, from, to) {
    this.block = block;
    // Copy the block's nodes, without ids.
    const page = /** @type {Document} */ (block.parent.ownerDocument);
    const added = page.createElement('span');
    added.className = 'qkv-translation notranslate';
    added.lang = to;
    added.dir = 'auto';
    added.style.display = 'block';
    for (const node of rowOf(block)) added.append(node.cloneNode(true));
    for (const element of added.querySelectorAll('[id]')) element.removeAttribute('id');
    // Put the translation into the copy, and remove pictures, buttons and the like from it.
    const copy = blockIn(added, block.text, from);
    if (copy) for (const content of contentsOf(copy, parts)) fill(content);
    for (const element of added.querySelectorAll(kObjects)) element.remove();
    this.#added = added;
    if (copy) block.parent.insertBefore(added, block.last.nextSibling);
  }

  get nodes() {
    return [...this.block.texts.map(({ node }) => node), this.#added];
  }

  get parents() {
    return [this.block.parent];
  }

  get isWhole() {
    return (
      this.block.texts.every(({ node, data }) => node.data === data && node.isConnected) && this.#added.isConnected
    );
  }

  undo() {
    this.#added.remove();
  }
}

/**
 * The block in the copy of an element.
 * @param {Element} copy
 * @param {string} text
 * @param {string} language
 * @returns {Block | null} null if the copy has another text
 */
function blockIn(copy, text, language) {
  // The copy itself forbids translation, so its content is read in a fragment.
  const fragment = copy.ownerDocument.createDocumentFragment();
  fragment.append(...copy.childNodes);
  const block = /** @type {Block | undefined} */ (
    [...textsIn(fragment, { language, attributes: false })].find((found) => 'items' in found)
  );
  copy.append(fragment);
  if (block?.text !== text) return null;
  block.parent = copy;
  return block;
}

/** Elements that a copy must not have a second time. */
const kObjects =
  'button,input,select,textarea,img,picture,svg,canvas,audio,video,iframe,object,embed,script,style,template,datalist';

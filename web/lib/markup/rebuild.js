// Puts a translation into the tree. Every element keeps its parent. Text nodes are used again: a script of the page may hold
// them.
import { childrenOf, placesOf } from './placing.js';
import { shareOf, unitsOf } from './units.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./placing.js').Place} Place */
/** @typedef {import('./units.js').Unit} Unit */
/** @typedef {import('../engine/engine.js').AlignedPart} AlignedPart */
/** @typedef {{parent: Node, before: Node | null, children: (string | Node)[], texts: Text[]}} Content the new content of an element, which goes before its child `before` */

/**
 * The new content of the elements of a block.
 * @param {Block} block
 * @param {AlignedPart[]} parts its sentences and the white space between them
 * @returns {Content[]}
 */
export function contentsOf(block, parts) {
  // The places of all items in the translation, and the parts of the translation that items replace.
  const { text, units } = joined(block, parts);
  const places = placesOf(block, units, text.length);
  const replaced = block.items.flatMap((item) => replacedBy(item, units)).toSorted((a, b) => a.begin - b.begin);
  const children = childrenOf(block.items);
  // The content of the block itself, then of each element in it.
  const whole = { begin: 0, end: text.length, isEmpty: false };
  const contents = [contentOf(block, -1, whole)];
  block.items.forEach((item, index) => {
    if (item.kind === 'element') contents.push(contentOf(block, index, places[index]));
  });
  return contents;

  /** @param {Block} of @param {number} parent an item's index @param {Place} within @returns {Content} */
  function contentOf({ items, texts, parent: root, last }, parent, within) {
    const inside = (children.get(parent) ?? []).toSorted((a, b) => byPlace(places[a], places[b]) || a - b);
    // The items in the order of the translation, with the text between them. An item without words keeps the white space
    // that it has in the source.
    /** @type {(string | Node)[]} */
    const list = [];
    let done = within.begin;
    for (const index of inside) {
      const { begin, end } = places[index];
      const { kind, node } = items[index];
      addText(list, done, begin);
      const spaces = kind === 'mark' && node?.nodeType === 1 ? spacesAround(items[index]) : [];
      if (spaces[0] && /\S$/.test(String(list.at(-1)))) addString(list, ' ');
      if (node) list.push(node);
      if (spaces[1] && begin < within.end && /\S/.test(text[begin])) addString(list, ' ');
      done = kind === 'element' ? end : Math.max(done, begin);
    }
    addText(list, done, within.end);
    return {
      parent: parent < 0 ? root : /** @type {Node} */ (items[parent].node),
      before: parent < 0 ? last.nextSibling : null,
      children: list,
      texts: texts.filter((item) => item.parent === parent).map(({ node }) => node),
    };
  }

  /** Adds a part of the translation, without the parts that items replace. @param {(string | Node)[]} list @param {number} from @param {number} to */
  function addText(list, from, to) {
    let rest = from;
    let added = '';
    for (const { begin, end } of replaced) {
      if (end <= rest || begin >= to) continue;
      added += text.slice(rest, Math.max(begin, rest));
      rest = Math.min(end, to);
    }
    added += text.slice(rest, Math.max(to, rest));
    addString(list, added);
  }

  /** Whether there is white space before and after an item without text. @param {import('./blocks.js').Item} item */
  function spacesAround({ begin, end }) {
    return [/\s/.test(block.text[begin - 1] ?? ''), /\s/.test(block.text[end] ?? '')];
  }
}

/** @param {(string | Node)[]} list @param {string} text */
function addString(list, text) {
  const last = list.at(-1);
  if (typeof last === 'string') list[list.length - 1] = last + text;
  else if (text) list.push(text);
}

/** An empty place comes before a place with words that begins there. @param {Place} a @param {Place} b */
const byPlace = (a, b) => a.begin - b.begin || a.end - b.end;

/**
 * The translation of a block, and its words.
 * @param {Block} block
 * @param {AlignedPart[]} parts
 */
function joined(block, parts) {
  /** @type {Unit[]} */
  const units = [];
  let from = 0;
  let text = '';
  for (const part of parts) {
    const { length } = part.text;
    if (part.sentence) {
      units.push(...unitsOf(part, from, text.length));
      text += part.translation;
    } else {
      const raw = block.raw.slice(from, from + length);
      for (const { index } of part.text.matchAll(/\n/g)) {
        const [begin, place] = [text.length + index, from + index];
        units.push({ begin, end: begin + 1, isWord: false, isExact: true, from, source: [place, place + 1] });
      }
      text += raw;
    }
    from += length;
  }
  return { text, units };
}

/**
 * The parts of the translation that an item replaces.
 * @param {import('./blocks.js').Item} item
 * @param {Unit[]} units
 */
function replacedBy({ kind, begin, end }, units) {
  if (kind === 'element' || begin === end) return [];
  const own = units.filter((unit) => unit.isExact && shareOf(unit, begin, end) === 1);
  const whole = own.length > 0 && { begin: own[0].begin, end: own[own.length - 1].end };
  // If all words of the item follow each other in the translation too, the white space between them is replaced as well.
  return whole && whole.end - whole.begin === end - begin ? [whole] : own;
}

/**
 * Gives an element its content. Nodes that are already in place are not moved.
 * @param {Content} content
 * @returns {Text[]} the text nodes that were created
 */
export function fill({ parent, before, children, texts }) {
  // Put the strings into the element's own text nodes. Nodes that are left become empty.
  /** @type {Text[]} */
  const created = [];
  const spare = [...texts];
  const nodes = children.map((child) => {
    if (typeof child !== 'string') return child;
    const node = spare.shift() ?? create(parent);
    if (!texts.includes(node)) created.push(node);
    if (node.data !== child) node.data = child;
    return node;
  });
  for (const node of spare) {
    node.data = '';
    nodes.push(node);
  }
  // Move only the nodes that are not in place, from the last to the first.
  /** @type {Node | null} */
  let next = before;
  for (const node of [...nodes].reverse()) {
    if (node.nextSibling !== next || node.parentNode !== parent) parent.insertBefore(node, next);
    next = node;
  }
  return created;

  /** @param {Node} of */
  function create(of) {
    return /** @type {Document} */ (of.ownerDocument).createTextNode('');
  }
}

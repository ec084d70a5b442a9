// A tree of HTML for runtimes without a DOM. It has the parts of the DOM that the translation needs. Each node keeps its
// source. So a node that is not translated is written byte for byte as it was read.

/** Elements without content. */
const kVoid = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
);

/** A node. Markup that is not an element, such as a doctype, counts as a comment. */
export class TreeNode {
  /** @type {TreeElement | null} */
  parentNode = null;
  /** @type {TreeNode | null} */
  previousSibling = null;
  /** @type {TreeNode | null} */
  nextSibling = null;
  /** @type {TreeNode | null} */
  firstChild = null;
  /** @type {TreeNode | null} */
  lastChild = null;

  /**
   * @param {number} nodeType
   * @param {string} source
   */
  constructor(nodeType, source) {
    this.nodeType = nodeType;
    this.source = source;
  }

  /** Creates text nodes. */
  get ownerDocument() {
    return { createTextNode: (/** @type {string} */ data) => new TreeText(data, escaped(data)) };
  }

  /** @param {TreeNode} node @param {TreeNode | null} before */
  insertBefore(node, before) {
    node.remove();
    node.parentNode = /** @type {TreeElement} */ (/** @type {unknown} */ (this));
    node.nextSibling = before;
    node.previousSibling = before ? before.previousSibling : this.lastChild;
    if (node.previousSibling) node.previousSibling.nextSibling = node;
    else this.firstChild = node;
    if (before) before.previousSibling = node;
    else this.lastChild = node;
    return node;
  }

  remove() {
    const parent = this.parentNode;
    if (!parent) return;
    if (this.previousSibling) this.previousSibling.nextSibling = this.nextSibling;
    else parent.firstChild = this.nextSibling;
    if (this.nextSibling) this.nextSibling.previousSibling = this.previousSibling;
    else parent.lastChild = this.previousSibling;
    this.parentNode = null;
  }
}

export class TreeText extends TreeNode {
  #data;

  /** @param {string} data @param {string} source */
  constructor(data, source) {
    super(3, source);
    this.#data = data;
  }

  get data() {
    return this.#data;
  }

  set data(data) {
    this.#data = data;
    this.source = escaped(data);
  }

  /** @param {string} data @param {string} source the text as it is in the HTML */
  append(data, source) {
    this.#data += data;
    this.source += source;
  }
}

export class TreeElement extends TreeNode {
  /** @type {Record<string, string>} */
  #attributes;
  /** Its end tag in the source; null: none. @type {string | null} */
  end = null;

  /** @param {string} localName @param {Record<string, string>} attributes @param {string} source its start tag */
  constructor(localName, attributes, source) {
    super(1, source);
    this.localName = localName;
    this.#attributes = attributes;
  }

  /** @param {string} name */
  getAttribute(name) {
    return Object.hasOwn(this.#attributes, name) ? this.#attributes[name] : null;
  }

  /** @param {string} name */
  hasAttribute(name) {
    return Object.hasOwn(this.#attributes, name);
  }

  /** Writes the attribute into the tag. The rest of the tag does not change. @param {string} name @param {string} value */
  setAttribute(name, value) {
    const quoted = `${name}="${escaped(value).replaceAll('"', '&quot;')}"`;
    const place = this.hasAttribute(name) ? attributeIn(this.source, name) : null;
    const [begin, end] = place ?? [1 + this.localName.length, 1 + this.localName.length];
    this.source = this.source.slice(0, begin) + (place ? '' : ' ') + quoted + this.source.slice(end);
    this.#attributes[name] = value;
  }

  /** The text in the element, cut after about 1000 UTF-16 units. */
  get textContent() {
    let text = '';
    for (let node = nextIn(this, this); node && text.length < 1000; node = nextIn(node, this)) {
      if (node instanceof TreeText) text += node.data;
    }
    return text;
  }
}

/** @param {string} text */
const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\u00A0', '&nbsp;');

/**
 * The place of an attribute in a tag.
 * @param {string} tag
 * @param {string} name
 * @returns {[begin: number, end: number] | null}
 */
function attributeIn(tag, name) {
  const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?/g;
  attribute.lastIndex = /^<[^\s/>]*/.exec(tag)?.[0].length ?? 0;
  for (let match = attribute.exec(tag); match; match = attribute.exec(tag)) {
    if (match[1].toLowerCase() === name) return [match.index, match.index + match[0].length];
  }
  return null;
}

/** @param {TreeNode} node @param {TreeNode} root @returns {TreeNode | null} */
function nextIn(node, root) {
  if (node.firstChild) return node.firstChild;
  /** @type {TreeNode | null} */
  let at = node;
  while (at && at !== root && !at.nextSibling) at = at.parentNode;
  return at && at !== root ? at.nextSibling : null;
}

/**
 * Reads HTML.
 * @param {string} html
 * @param {{Parser: any}} htmlparser2 the module
 * @returns {TreeElement} the root, which contains everything
 */
export function readTree(html, { Parser }) {
  // The parser calls these functions in document order. `open` is the innermost element that is open.
  const root = new TreeElement('', {}, '');
  let open = /** @type {TreeElement} */ (root);
  const source = () => html.slice(parser.startIndex, parser.endIndex + 1);
  const add = (/** @type {TreeNode} */ node) => open.insertBefore(node, null);
  const parser = new Parser(
    {
      onopentag(
        /** @type {string} */ name,
        /** @type {Record<string, string>} */ attributes,
        /** @type {boolean} */ implied,
      ) {
        const element = new TreeElement(name, { ...attributes }, implied ? `<${name}>` : source());
        add(element);
        open = element;
      },
      onclosetag(/** @type {string} */ name, /** @type {boolean} */ implied) {
        const isEmpty = kVoid.has(name) || (implied && open.source.endsWith('/>') && !open.firstChild);
        if (!isEmpty) open.end = implied ? `</${name}>` : source();
        open = open.parentNode ?? root;
      },
      ontext(/** @type {string} */ data) {
        const last = open.lastChild;
        if (!(last instanceof TreeText)) return void add(new TreeText(data, source()));
        last.append(data, source());
      },
      oncomment: () => void add(new TreeNode(8, source())),
      onprocessinginstruction: () => void add(new TreeNode(8, source())),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return root;
}

/**
 * Writes a tree as HTML.
 * @param {TreeElement} root
 * @returns {string}
 */
export function writeTree(root) {
  // Write each node in document order, and the end tags of the elements that end after it.
  let html = '';
  /** @type {TreeNode | null} */
  let node = root.firstChild;
  while (node) {
    html += node.source;
    if (node.firstChild) {
      node = node.firstChild;
      continue;
    }
    /** @type {TreeNode | null} */
    let at = node;
    while (at && at !== root) {
      if (at instanceof TreeElement) html += at.end ?? '';
      if (at.nextSibling) break;
      at = at.parentNode;
    }
    node = at && at !== root ? at.nextSibling : null;
  }
  return html;
}
